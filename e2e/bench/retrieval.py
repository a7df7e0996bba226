"""Recall and latency of the product's own retrieval: its splitter, embedder, document store and index.

Reads `<language>.passages.jsonl` (`id`, `text`) and `<language>.questions.jsonl` (`question`, `passage`: an
id). Every passage becomes a document; all languages share one index, so each is noise to the others.
What was ingested is kept under .cache/bench by its content: a second run only asks.
"""

import asyncio
import hashlib
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from app.documents.ingest import Library, ingest
from app.embedding import Embedder, open_embedder
from app.retrieval import SHARED, Index, open_index, open_lexical
from app.settings import Settings
from app.store import open_store
from tests.chroma import running
from worker.progress import watched

SHIPPED = Path(__file__).parents[1] / "data" / "retrieval"
CACHE = Path(".cache/bench/retrieval")
K = 5


@dataclass(frozen=True, slots=True)
class Question:
    language: str
    text: str
    passage: str


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    hits: tuple[str, ...]  # ids of passages, best first
    ms: float


def main(data: Path | None) -> None:
    folder = data or SHIPPED
    passages, questions = read(folder)
    cache = CACHE / key(passages)
    write(passages, cache / "documents")
    print(f"{len(passages)} passages and {len(questions)} questions from {folder}", flush=True)
    with running(cache / "chroma") as chroma:
        settings = Settings(data_dir=cache, chroma_url=chroma.url, database_url="")
        answered = asyncio.run(measure(settings, cache / "documents", questions))
    print(json.dumps(figures(answered)))


def read(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """Texts by id, and the questions; SystemExit with one line if there is nothing to measure."""
    names = sorted(path.name.removesuffix(".passages.jsonl") for path in folder.glob("*.passages.jsonl"))
    if not names:
        raise SystemExit(f"{folder} is no folder with files named <language>.passages.jsonl.")
    passages: dict[str, str] = {}
    questions: list[Question] = []
    for name in names:
        passages |= {row["id"]: row["text"] for row in _rows(folder / f"{name}.passages.jsonl")}
        questions += [Question(name, row["question"], row["passage"])
                      for row in _rows(folder / f"{name}.questions.jsonl")]
    return passages, questions


def key(passages: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(passages, sort_keys=True).encode()).hexdigest()[:16]


def write(passages: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for id, text in passages.items():
        (folder / f"{id}.txt").write_text(text, encoding="utf-8")


async def measure(settings: Settings, folder: Path, questions: Sequence[Question]) -> list[Answered]:
    embedder = open_embedder(settings)
    try:
        async with open_store(settings) as store:
            index = open_index(settings, embedder)
            with watched() as report:
                library = Library(SHARED, store.documents, index, open_lexical(settings), embedder)
                summary = await ingest(folder, library, report=report)
            print(f"{await index.count()} passages indexed, {summary.embedded} embedded now", flush=True)
            if summary.refused:
                raise SystemExit(f"{summary.refused[0]}.")
            await embedder.warm()
            await index.warm(await embedder.query("ready"))
            return [await ask(question, embedder, index) for question in questions]
    finally:
        await embedder.close()


async def ask(question: Question, embedder: Embedder, index: Index) -> Answered:
    began = time.perf_counter()
    found = await index.search(await embedder.query(question.text), K)
    ms = (time.perf_counter() - began) * 1000
    return Answered(question, tuple(Path(unquote(urlsplit(passage.uri).path)).stem for passage in found), ms)


def figures(answered: Sequence[Answered]) -> dict[str, Any]:
    languages = sorted({each.question.language for each in answered})
    by_language = {name: [a for a in answered if a.question.language == name] for name in languages}
    return {
        **{f"recall@{k}": {name: recall(rows, k) for name, rows in by_language.items()} for k in (1, K)},
        "p50_ms": round(statistics.median(each.ms for each in answered), 2),
        "p95_ms": round(statistics.quantiles((each.ms for each in answered), n=20)[-1], 2),
        "n": {name: len(rows) for name, rows in by_language.items()},
    }


def recall(answered: Sequence[Answered], k: int) -> float:
    """The share of questions whose passage is among the first k hits."""
    return round(statistics.fmean(a.question.passage in a.hits[:k] for a in answered), 4)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} cannot be read as JSON lines: {error}") from error
