"""How long retrieval takes among 10,000 passages: their words are real, their vectors only look real.

Embedding so many would take half an hour, and neither index asks where a vector is from.
"""

import random
import re
from collections.abc import Sequence

import numpy as np

from app.documents.healing import heal
from app.documents.ingest import Library
from app.retrieval import Passage, open_lexical
from app.retrieval.chroma import ChromaIndex
from app.settings import Settings
from e2e.bench.retrieval.asking import ask, ask_all
from e2e.bench.retrieval.material import CACHE, Question
from e2e.bench.retrieval.scores import times
from tests.chroma import running

PASSAGES = 10_000
ASKED = 300
WARM_UP = 20
SPREAD = 0.5  # of a vector, around the direction that all of multilingual-e5's share
BATCH = 1_000

_SENTENCES = re.compile(r"(?<=[.!?。！？])\s*")


async def measure(
    questions: Sequence[Question], passages: dict[str, str], like: Library
) -> dict[str, float]:
    """Percentiles of the whole retrieval, the question's embedding included."""
    folder = CACHE / "crowd"
    with running(folder / "chroma") as chroma:
        index = ChromaIndex(chroma.url, owner="crowd", embedder=like.embedder.name)
        lexical = open_lexical(Settings(data_dir=folder))
        library = Library("crowd", like.store, index, lexical, like.embedder)
        if await index.count() < PASSAGES:
            await _fill(library, passages)
        await heal(index, lexical, lambda done, total: False)  # its words may be of an earlier version
        chosen = random.Random(1).sample(questions, min(ASKED, len(questions)))
        await ask_all(chosen[:WARM_UP], library)
        return {"passages": await index.count(), **times([await ask(each, library) for each in chosen])}


async def _fill(library: Library, passages: dict[str, str]) -> None:
    print(f"filling an index with {PASSAGES} passages", flush=True)
    chance = random.Random(2)
    sentences = [part for text in passages.values() for part in _SENTENCES.split(text) if part]
    texts = [" ".join(chance.sample(sentences, 5)) for _ in range(PASSAGES)]
    vectors = _vectors(await library.embedder.query("ready"))
    for start in range(0, PASSAGES, BATCH):
        rows = [
            Passage(f"c{n}", texts[n], "Crowd", f"file:///crowd/{n}.txt", None, 0, len(texts[n]))
            for n in range(start, start + BATCH)
        ]
        await library.index.add("crowd", rows, vectors[start : start + BATCH])
        await library.lexical.add("crowd", rows)


def _vectors(shared: Sequence[float]) -> list[list[float]]:
    noise = np.random.default_rng(3).normal(size=(PASSAGES, len(shared)))
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    vectors = np.asarray(shared) + SPREAD * noise
    rows: list[list[float]] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist()
    return rows
