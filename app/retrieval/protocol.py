"""From a question to the passages that bear on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from app.embedding.protocol import Vector

BETWEEN = " › "  # between the headings of a passage's title


def shown(uri: str) -> str:
    """A file's folder and name, which its owner knows; where the server keeps it is nobody's business."""
    return "/".join(unquote(uri).split("/")[-2:]) if uri.startswith("file://") else uri


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. `start` and `end` are characters in the document's extracted text;
    `page` counts from 1 where the format has pages; `score` is 0 before a search, and after it what the leg
    or the fusion that found it says."""

    id: str
    text: str
    title: str
    uri: str
    page: int | None
    start: int
    end: int
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: passages, best first, none when nothing bears on the question. `confidence` that
    the best of them does: 0 to 1. `searched`: False when it could not be found out."""

    passages: tuple[Passage, ...] = ()
    confidence: float = 0.0
    searched: bool = True


class Index(Protocol):
    """Where passages lie, by meaning. `document` is its id; passages of one owner's library only."""

    async def warm(self, vector: Vector) -> None:
        """Lets the index load what the first search would otherwise wait for."""
        ...

    async def search(self, vector: Vector, k: int) -> tuple[Passage, ...]:
        """The k nearest passages, best first; raises TurnError('retrieval_failed')."""
        ...

    async def missing(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are not stored yet."""
        ...

    async def add(self, document: str, passages: Sequence[Passage], vectors: Sequence[Vector]) -> None: ...

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        """Drops the document's passages, except the kept ids."""
        ...

    async def count(self) -> int: ...

    async def ids(self) -> set[str]:
        """Of all passages; while somebody else writes, of some."""
        ...

    async def passages(self, ids: Sequence[str]) -> Sequence[tuple[str, Passage]]:
        """Those of them that are stored, each with its document's id."""
        ...


class Lexical(Protocol):
    """The same passages by their words: identifiers, names, numbers, phrases.

    A passage's score is its share of what the question's words could score at the most: 1 would be all of
    them, again and again. Follows an `Index`, which is asked where the two differ."""

    async def warm(self) -> None:
        """Opens what the first search would otherwise wait for."""
        ...

    async def search(self, question: str, k: int) -> tuple[Passage, ...]:
        """The k best matches, best first, none while there is no index.

        Raises TurnError('retrieval_failed')."""
        ...

    async def add(self, document: str, passages: Sequence[Passage]) -> None: ...

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None:
        """Drops the document's passages, except the kept ids."""
        ...

    async def count(self) -> int: ...

    async def ids(self) -> set[str]: ...

    async def mend(self, ids: Sequence[str], index: Index) -> None:
        """Makes of these passages what the index has of them: stored there and here, or in neither."""
        ...
