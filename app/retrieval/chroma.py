"""Passages in a Chroma server: one collection an owner and embedder. Knows no text model and no document.

The connection is made when first used. When Chroma restarts, or somebody deletes the collection, the
next call makes it anew; when Chroma is down, every call says so in one sentence and nothing hangs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.api import AsyncClientAPI
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from app.embedding.protocol import Vector
from app.errors import TurnError
from app.retrieval.names import slug
from app.retrieval.protocol import Passage

READ_TIMEOUT = 5.0  # seconds
WRITE_TIMEOUT = 30.0
PAGE = 5_000  # ids in one answer
SLICE = 200  # ids in one request; SQLite below Chroma bounds a statement's variables
HNSW: Any = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 100, "max_neighbors": 32}}

T = TypeVar("T")
Call = Callable[[AsyncCollection], Awaitable[T]]


class ChromaIndex:
    """An `Index` over the server at `url`; every method raises TurnError('retrieval_failed')."""

    def __init__(self, url: str, *, owner: str, embedder: str) -> None:
        self._url = url
        self._owner = owner
        self._embedder = embedder
        self._client: AsyncClientAPI | None = None
        self._collection: AsyncCollection | None = None
        self._connecting = asyncio.Lock()

    async def warm(self, vector: Vector) -> None:
        """Lets Chroma load the collection, so that the first question does not wait for it."""
        await self.search(vector, 1)

    async def search(self, vector: Vector, k: int) -> tuple[Passage, ...]:
        async def nearest(collection: AsyncCollection) -> Any:
            return await collection.query(
                query_embeddings=[vector], n_results=k, include=["documents", "metadatas", "distances"]
            )

        found = await self._call(nearest)
        rows = zip(*(found[part][0] for part in ("ids", "documents", "metadatas", "distances")), strict=True)
        return tuple(_passage(*row) for row in rows)

    async def missing(self, ids: Sequence[str]) -> set[str]:
        async def stored(collection: AsyncCollection) -> set[str]:
            parts = [await collection.get(ids=part, include=[]) for part in _slices(ids)]
            return {id for part in parts for id in part["ids"]}

        return set(ids) - await self._call(stored)

    async def add(self, document: str, passages: Sequence[Passage], vectors: Sequence[Vector]) -> None:
        async def store(collection: AsyncCollection) -> None:
            for part in _slices(list(zip(passages, vectors, strict=True))):
                await collection.upsert(
                    ids=[passage.id for passage, _ in part],
                    embeddings=[vector for _, vector in part],
                    documents=[passage.text for passage, _ in part],
                    metadatas=[_metadata(document, passage) for passage, _ in part],
                )

        await self._call(store, WRITE_TIMEOUT)

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        """Without `keep`, the document also leaves the collections that other embedders made."""

        async def drop(collection: AsyncCollection) -> None:
            for each in [collection] if keep else await self._collections():
                await _drop(each, document, frozenset(keep))

        await self._call(drop, WRITE_TIMEOUT)

    async def count(self) -> int:
        return await self._call(AsyncCollection.count)

    async def ids(self) -> set[str]:
        async def listed(collection: AsyncCollection) -> set[str]:
            found: set[str] = set()
            for offset in range(0, await collection.count(), PAGE):
                found.update((await collection.get(limit=PAGE, offset=offset, include=[]))["ids"])
            return found

        return await self._call(listed, WRITE_TIMEOUT)

    async def passages(self, ids: Sequence[str]) -> list[tuple[str, Passage]]:
        async def stored(collection: AsyncCollection) -> list[tuple[str, Passage]]:
            parts: list[Any] = [
                await collection.get(ids=part, include=["documents", "metadatas"]) for part in _slices(ids)
            ]
            rows = [row for p in parts for row in zip(p["ids"], p["documents"], p["metadatas"], strict=True)]
            return [(metadata["document"], _passage(id, text, metadata, 1)) for id, text, metadata in rows]

        return await self._call(stored, WRITE_TIMEOUT)

    async def owners(self) -> set[str]:
        """Of all that this embedder made, in whoever's collections."""

        async def listed(_: AsyncCollection) -> set[str]:
            described = [each.metadata or {} for each in await self._everything()]
            return {each["owner"] for each in described if each.get("embedder") == self._embedder}

        return await self._call(listed)

    async def _collections(self) -> list[AsyncCollection]:
        """Everything of this owner's, whichever embedder made it."""
        return [c for c in await self._everything() if (c.metadata or {}).get("owner") == self._owner]

    async def _everything(self) -> Sequence[AsyncCollection]:
        return await self._client.list_collections() if self._client else []

    async def _call(self, call: Call[T], seconds: float | None = None) -> T:
        seconds = seconds or READ_TIMEOUT
        try:
            async with asyncio.timeout(seconds):
                try:
                    return await call(await self._open())
                except (NotFoundError, httpx.TransportError):
                    self._collection = None  # recreated, or the server restarted: once more from the start
                    return await call(await self._open())
        except TimeoutError as error:
            raise self._failed(f"did not answer within {seconds:g} s") from error
        except (httpx.TransportError, ValueError, ChromaError) as error:
            self._collection = None
            raise self._failed(_reason(error)) from error

    async def _open(self) -> AsyncCollection:
        async with self._connecting:
            if self._collection is None:
                self._client = self._client or await _connect(self._url)
                self._collection = await self._client.get_or_create_collection(
                    collection_name(self._owner, self._embedder),
                    metadata={"owner": self._owner, "embedder": self._embedder},
                    configuration=HNSW,
                    embedding_function=None,
                )
            return self._collection

    def _failed(self, what: str) -> TurnError:
        return TurnError("retrieval_failed", f"The document index (Chroma at {self._url}) {what}.")


def collection_name(owner: str, embedder: str) -> str:
    return f"passages-{slug(owner)}-{slug(embedder)}"


async def _connect(url: str) -> AsyncClientAPI:
    address = urlsplit(url)
    secure = address.scheme == "https"
    return await chromadb.AsyncHttpClient(
        host=address.hostname or "127.0.0.1",
        port=address.port or (443 if secure else 80),
        ssl=secure,
        settings=Settings(anonymized_telemetry=False),
    )


async def _drop(collection: AsyncCollection, document: str, keep: frozenset[str]) -> None:
    stored = (await collection.get(where={"document": document}, include=[]))["ids"]
    for part in _slices([id for id in stored if id not in keep]):
        await collection.delete(ids=part)


def _metadata(document: str, passage: Passage) -> dict[str, str | int]:
    page = {} if passage.page is None else {"page": passage.page}  # Chroma stores no None
    return {"document": document, "title": passage.title, "uri": passage.uri,
            "start": passage.start, "end": passage.end, **page}


def _passage(id: str, text: str, metadata: Any, distance: float) -> Passage:
    return Passage(id, text, metadata["title"], metadata["uri"], metadata.get("page"),
                   metadata["start"], metadata["end"], 1 - distance)


def _slices(items: Sequence[T]) -> list[list[T]]:
    return [list(items[start : start + SLICE]) for start in range(0, len(items), SLICE)]


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.TransportError) or "Could not connect" in str(error):
        return "does not answer"
    return f"refused: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
