"""Recall, relevance and latency of the product's own retrieval: its splitter, embedder, indexes and fusion.

Reads `<language>.passages.jsonl` (`id`, `text`) and `<language>.questions.jsonl` (`question`, `passage`: an
id). Every passage becomes a document; all languages share one index, so each is noise to the others.
What was ingested is kept under .cache/bench by its content: a second run only asks.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from e2e.bench.retrieval import crowd, relevance
from e2e.bench.retrieval.asking import Answered, ask_all, opened
from e2e.bench.retrieval.material import CACHE, Question, key, read, write
from e2e.bench.retrieval.scores import legs, recalls, times

__all__ = ["CACHE", "Question", "key", "main", "read", "write"]

DATA = Path(__file__).parents[2] / "data"
SHIPPED = DATA / "retrieval"
IDENTIFIERS = DATA / "identifiers"


def main(data: Path | None) -> None:
    folder = data or SHIPPED
    answered, errors, crowded = asyncio.run(_measure(folder))
    named, _, _ = asyncio.run(_measure(IDENTIFIERS, only_recall=True))
    shipped = errors if folder == SHIPPED else asyncio.run(_measure(SHIPPED, crowd_too=False))[1]
    print(
        json.dumps(
            {
                **recalls(answered),
                **times(answered),
                "n": {name: len(rows) for name, rows in _by_language(answered).items()},
                **legs(answered),
                "identifiers": {**recalls(named), **legs(named)},
                "relevance": errors,
                "relevance_handbook": shipped,
                "at_10000": crowded,
            },
            ensure_ascii=False,
        )
    )


async def _measure(
    folder: Path, *, only_recall: bool = False, crowd_too: bool = True
) -> tuple[list[Answered], dict[str, Any], dict[str, float]]:
    passages, questions = read(folder)
    print(f"{len(passages)} passages and {len(questions)} questions from {folder}", flush=True)
    async with opened(passages) as library:
        answered = await ask_all(questions, library)
        if only_recall:
            return answered, {}, {}
        errors = await relevance.errors(answered, library, folder)
        return answered, errors, await crowd.measure(questions, passages, library) if crowd_too else {}


def _by_language(answered: list[Answered]) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = {}
    for each in answered:
        found.setdefault(each.question.language, []).append(each)
    return found
