"""From a question to the passages that bear on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.embedding.protocol import Embedder
from app.retrieval.protocol import Found, Index, Lexical, Passage
from app.settings import Settings

if TYPE_CHECKING:
    from app.retrieval.chroma import ChromaIndex

SHARED = "shared"  # the owner of the deployment's own library

__all__ = ["SHARED", "Found", "Index", "Lexical", "Passage", "open_index", "open_lexical"]


def open_index(settings: Settings, embedder: Embedder, owner: str = SHARED) -> ChromaIndex:
    """The owner's index in Chroma for this embedder. Connects when first used, and again when it has to."""
    from app.retrieval.chroma import ChromaIndex  # start-up cost: chromadb takes over a second

    return ChromaIndex(settings.chroma_url, owner=owner, embedder=embedder.name)


def open_lexical(settings: Settings, owner: str = SHARED) -> Lexical:
    """The owner's lexical index, under DATA_DIR."""
    from app.retrieval.lexical import NoLexical

    return NoLexical()
