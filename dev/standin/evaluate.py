"""`python -m dev.standin.evaluate FOLDER`: how well `extract` quotes, on data in the form of a retrieval set.

For each language: how often the answer string stands in what is quoted from the right passage and four
others, and how often nothing is quoted from five passages of another document. Prints one JSON object.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any

from dev.standin.choosing import choose
from dev.standin.reading import Passage

OTHERS = 4


def evaluate(folder: Path, language: str) -> dict[str, float]:
    """Shares between 0 and 1, with a fixed seed."""
    passages = {one["id"]: one for one in _lines(folder / f"{language}.passages.jsonl")}
    questions = _lines(folder / f"{language}.questions.jsonl")
    draw = random.Random(7)  # noqa: S311 - a repeatable sample, no secret
    contained = nothing = 0
    for asked in questions:
        right = passages[asked["passage"]]
        given = [right, *_drawn(draw, [one for one in passages.values() if one is not right], OTHERS)]
        draw.shuffle(given)
        quoted = choose(asked["question"], _numbered(given))
        contained += any(asked["answer"] in one.unit.text for one in quoted)
        foreign = [one for one in passages.values() if one["title"] != right["title"]]
        document = draw.choice(foreign)["title"]
        unrelated = _drawn(draw, [one for one in foreign if one["title"] == document], OTHERS + 1)
        nothing += not choose(asked["question"], _numbered(unrelated))
    return {"contained": contained / len(questions), "nothing_found": nothing / len(questions)}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _drawn(draw: random.Random, pool: list[dict[str, Any]], wanted: int) -> list[dict[str, Any]]:
    return draw.sample(pool, min(wanted, len(pool)))


def _numbered(given: list[dict[str, Any]]) -> tuple[Passage, ...]:
    return tuple(Passage(n, one["title"], one["text"]) for n, one in enumerate(given, 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dev.standin.evaluate")
    parser.add_argument("folder", type=Path, help="holds en.passages.jsonl, en.questions.jsonl and more")
    folder = parser.parse_args().folder
    languages = sorted(path.name.split(".")[0] for path in folder.glob("*.questions.jsonl"))
    if not languages:
        raise SystemExit(f"{folder} holds no *.questions.jsonl to evaluate on.")
    print(json.dumps({language: evaluate(folder, language) for language in languages}))


if __name__ == "__main__":
    main()
