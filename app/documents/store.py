"""Which documents exist, for whom, and in which state. Knows no passages, no vectors and no database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Document:
    """One source file as it was ingested; `owner` and `uri` together are its key."""

    id: str  # made from owner and uri, so it stays the same when the file changes
    owner: str
    uri: str  # where it lies, e.g. file:///srv/handbook/starting.md
    title: str
    hash: str  # of the file's bytes, the splitter's version and the embedder's name
    passages: int  # how many it was split into
    size: int  # bytes of the file
    complete: bool  # False while some of its passages are still to be embedded


class DocumentStore(Protocol):
    """Every method sees the given owner's documents only."""

    async def get(self, owner: str, uri: str) -> Document | None: ...

    async def put(self, document: Document) -> None:
        """Adds the document, or replaces the one with the same owner and uri."""
        ...

    async def remove(self, owner: str, uri: str) -> None:
        """Forgets the document; nothing happens when there is none."""
        ...

    async def under(self, owner: str, prefix: str) -> Sequence[Document]:
        """Documents whose uri starts with the prefix (as is: case, % and _ are ordinary), by uri."""
        ...
