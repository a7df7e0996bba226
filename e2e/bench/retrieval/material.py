"""Passages and questions as they lie in a folder, and where what is made of them is kept."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from dev.routing.rows import lines

CACHE = Path(".cache/bench/retrieval")


@dataclass(frozen=True, slots=True)
class Question:
    language: str
    text: str
    passage: str


def read(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """Texts by id, and the questions; SystemExit with one line if there is nothing to measure."""
    names = sorted(path.name.removesuffix(".passages.jsonl") for path in folder.glob("*.passages.jsonl"))
    if not names:
        raise SystemExit(f"{folder} is no folder with files named <language>.passages.jsonl.")
    passages: dict[str, str] = {}
    questions: list[Question] = []
    for name in names:
        passages |= {row["id"]: row["text"] for row in lines(folder / f"{name}.passages.jsonl")}
        questions += [
            Question(name, row["question"], row["passage"])
            for row in lines(folder / f"{name}.questions.jsonl")
        ]
    return passages, questions


def key(passages: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(passages, sort_keys=True).encode()).hexdigest()[:16]


def write(passages: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for id, text in passages.items():
        (folder / f"{id}.txt").write_text(text, encoding="utf-8")
