"""The retrieval bench reads what it says, and reckons recall as everybody does."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from app.retrieval import Found
from dev.routing.rows import lines
from e2e.bench.retrieval import IDENTIFIERS, SHIPPED, read
from e2e.bench.retrieval.asking import Answered
from e2e.bench.retrieval.material import Question
from e2e.bench.retrieval.scores import recalls


@pytest.mark.parametrize("folder", [SHIPPED, IDENTIFIERS])
def test_every_question_has_its_passage(folder: Path) -> None:
    passages, questions = read(folder)
    assert {question.passage for question in questions} <= passages.keys()
    assert len({question.text for question in questions}) == len(questions)


def test_identifiers_are_a_hundred_questions_among_look_alikes() -> None:
    passages, questions = read(IDENTIFIERS)
    assert Counter(question.language for question in questions) == {"en": 50, "zh": 50}
    assert len(set(passages.values())) == len(passages)
    families = Counter(re.sub(r"-\d+$", "", id) for id in passages)
    assert set(families.values()) == {18}


def test_small_talk_is_in_both_languages() -> None:
    talk = Counter(row["language"] for row in lines(SHIPPED / "offtopic.jsonl"))
    assert talk["en"] == talk["zh"] >= 30


def test_recall_counts_by_language_and_rank() -> None:
    def answered(language: str, *hits: str) -> Answered:
        return Answered(Question(language, "?", "right"), Found(), hits, (), (), 1.0)

    got = [answered("en", "right"), answered("en", "x", "right"), answered("zh", *"abcde", "right")]
    assert recalls(got) == {"recall@1": {"en": 0.5, "zh": 0.0}, "recall@5": {"en": 1.0, "zh": 0.0}}
    assert recalls(got, lambda each: each.dense)["recall@5"] == {"en": 0.0, "zh": 0.0}


@pytest.mark.parametrize("line", ["{", "[1"])
def test_bad_data_is_told_in_a_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(SystemExit, match="is no folder with files named"):
        read(tmp_path)
    (tmp_path / "en.passages.jsonl").write_text(json.dumps({"id": "a", "text": "b"}) + "\n" + line)
    with pytest.raises(SystemExit, match="cannot be read as JSON lines"):
        read(tmp_path)
