"""A library of a folder's passages, and questions asked of it as `app.turn.search` asks them."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.documents.ingest import Library, ingest
from app.embedding import open_embedder
from app.retrieval import SHARED, Found, Passage, open_index, open_lexical
from app.retrieval.fusion import DEPTH, fuse
from app.routing import Route
from app.settings import Settings
from app.store import open_store
from e2e.bench.retrieval.material import CACHE, Question, key, write
from tests.chroma import running
from worker.progress import watched

ROUTE = Route("bench", "", k=5, max_tokens=0, reason="")  # a route's own budget for passages

Legs = tuple[Sequence[Passage], Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class Answered:
    """Ids of passages, best first: what the product gives, and what each leg alone would."""

    question: Question
    found: Found
    hits: tuple[str, ...]
    dense: tuple[str, ...]
    lexical: tuple[str, ...]
    ms: float


@asynccontextmanager
async def opened(passages: dict[str, str]) -> AsyncIterator[Library]:
    """Ingested by the product, or as it was left by the run before."""
    cache = CACHE / key(passages)
    await asyncio.to_thread(write, passages, cache / "documents")
    with running(cache / "chroma") as chroma:
        settings = Settings(data_dir=cache, chroma_url=chroma.url, database_url="")
        embedder = open_embedder(settings)
        try:
            async with open_store(settings) as store:
                index, lexical = open_index(settings, embedder), open_lexical(settings)
                library = Library(SHARED, store.documents, index, lexical, embedder)
                with watched() as report:
                    summary = await ingest(cache / "documents", library, report=report)
                if summary.refused:
                    raise SystemExit(f"{summary.refused[0]}.")
                print(f"{await index.count()} passages indexed, {summary.embedded} embedded now", flush=True)
                await embedder.warm()
                await lexical.warm()
                await index.warm(await embedder.query("ready"))
                yield library
        finally:
            await embedder.close()


async def ask_all(questions: Sequence[Question], library: Library) -> list[Answered]:
    return [await ask(question, library) for question in questions]


async def ask(question: Question, library: Library) -> Answered:
    began = time.perf_counter()
    dense, lexical = await both(question.text, library)
    found = fuse(question.text, dense, lexical, k=ROUTE.k, tokens=ROUTE.passage_tokens)
    ms = (time.perf_counter() - began) * 1000
    return Answered(question, found, _ids(found.passages), _ids(dense), _ids(lexical), ms)


async def both(text: str, library: Library) -> Legs:
    async with asyncio.TaskGroup() as group:
        dense = group.create_task(_dense(text, library))
        lexical = group.create_task(library.lexical.search(text, DEPTH))
    return dense.result(), lexical.result()


async def _dense(text: str, library: Library) -> Sequence[Passage]:
    return await library.index.search(await library.embedder.query(text), DEPTH)


def _ids(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(Path(unquote(urlsplit(passage.uri).path)).stem for passage in passages)
