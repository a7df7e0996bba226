"""Both ways to be wrong about "nothing relevant": good questions turned away, foreign ones answered.

Foreign to a library are small talk in both languages (shipped), the questions of the shipped library or of
its identifiers where that is not the one asked, and CLINC's, if its folder lies beside the data.
"""

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.documents.ingest import Library
from dev.routing.rows import lines
from e2e.bench.retrieval.asking import Answered, ask_all
from e2e.bench.retrieval.material import Question, read

SHIPPED = Path(__file__).parents[2] / "data"
EVERY = 5  # of CLINC's questions one in so many is asked


async def errors(answered: Sequence[Answered], library: Library, folder: Path) -> dict[str, Any]:
    languages = sorted({each.question.language for each in answered})
    alarms = {
        name: _share([not each.found.passages for each in answered if each.question.language == name])
        for name in languages
    }
    recognised = {}
    for name, questions in _foreign(folder).items():
        recognised[name] = _share([not each.found.passages for each in await ask_all(questions, library)])
    return {"false_alarms": alarms, "recognised": recognised}


def _foreign(folder: Path) -> dict[str, list[Question]]:
    talk = [
        Question(row["language"], row["question"], "") for row in lines(SHIPPED / "retrieval/offtopic.jsonl")
    ]
    sets = {f"small_talk_{name}": [q for q in talk if q.language == name] for name in ("en", "zh")}
    for other in (SHIPPED / "retrieval", SHIPPED / "identifiers"):
        if other.resolve() != folder.resolve():
            sets[other.name] = read(other)[1]
    clinc = folder.parent / "intents/clinc.jsonl"
    if clinc.exists():
        sets["clinc"] = [Question("en", row["text"], "") for row in lines(clinc)][::EVERY]
    return sets


def _share(flags: Sequence[bool]) -> float:
    return round(statistics.fmean(flags), 4)
