"""What the router's weights are learned from, and that learning works."""

import json
from pathlib import Path

import pytest

from app.routing.features import features
from dev.routing.fitting import Asked, Outcome, fit
from dev.routing.rows import outcomes, questions

ROOT = Path(__file__).parents[2]
OPTIONS = "\nA. one\nB. two\nC. three\nD. four\nAnswer:"


def test_our_own_questions_are_many_in_both_languages_and_each_kind() -> None:
    ours = questions()
    assert len(ours) >= 1_500
    assert len({asked.text for asked in ours}) == len(ours)
    for language in ("en", "zh"):
        labels = [asked.label for asked in ours if asked.language == language]
        assert set(labels) == {"lookup", "ordinary", "hard"}
        assert min(labels.count(label) for label in set(labels)) > 200


def test_what_is_measured_was_not_learned_from() -> None:
    measured = questions(ROOT / "e2e" / "data" / "routing" / "questions.jsonl")
    assert len(measured) == 200
    assert not {asked.text for asked in measured} & {asked.text for asked in questions()}


def test_a_model_learns_where_the_large_one_wins() -> None:
    exam = [Outcome(f"Which torque {n} has the gear?{OPTIONS}", "mechanics", False, True) for n in range(40)]
    exam += [Outcome(f"Which poem {n} has the rhyme?{OPTIONS}", "letters", True, True) for n in range(40)]
    chat = [Asked(f"Compare plan {n} and say why.", "hard", "en") for n in range(20)]
    chat += [Asked(f"Who wrote page {n}?", "lookup", "en") for n in range(20)]
    weights = fit(exam, chat)
    assert weights.wins(features(f"Which torque 99 has the gear?{OPTIONS}")) > 0
    assert weights.wins(features(f"Which poem 99 has the rhyme?{OPTIONS}")) < 0
    assert weights.wins(features("Compare plan 99 and say why.")) > 0
    assert weights.wins(features("Who wrote page 99?")) < 0
    assert weights.brief.above(features("Who wrote page 99?"))


def test_rows_are_read_and_what_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="holds no"):
        outcomes(tmp_path)
    row = {"prompt": "Why?", "topic": "t", "small_right": False, "large_right": True}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n\n")
    assert outcomes(tmp_path) == [Outcome("Why?", "t", False, True)]
    (tmp_path / "rows.jsonl").write_text("{")
    with pytest.raises(SystemExit, match="cannot be read as JSON lines"):
        outcomes(tmp_path)
