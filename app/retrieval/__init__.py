"""From a question to the passages that bear on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.embedding.protocol import Embedder
from app.retrieval.damage import drop_earlier
from app.retrieval.names import slug
from app.retrieval.protocol import Found, Index, Lexical, Passage
from app.settings import Settings

if TYPE_CHECKING:
    from app.retrieval.chroma import ChromaIndex
    from app.retrieval.lexical import TantivyIndex

VERSION = 2  # of the lexical index: a new one is built beside the old one, from what Chroma has
SHARED = "shared"  # the owner of the deployment's own library

__all__ = ["SHARED", "Found", "Index", "Lexical", "Passage", "forget_earlier", "open_index", "open_lexical"]


def open_index(settings: Settings, embedder: Embedder, owner: str = SHARED) -> ChromaIndex:
    """The owner's index in Chroma for this embedder. Connects when first used, and again when it has to."""
    from app.retrieval.chroma import ChromaIndex  # start-up cost: chromadb takes over a second

    return ChromaIndex(settings.chroma_url, owner=owner, embedder=embedder.name)


def open_lexical(settings: Settings, owner: str = SHARED) -> TantivyIndex:
    """The owner's lexical index, under DATA_DIR. Where the web and the worker do not share that folder, a
    question finds by meaning only, and identifiers less well."""
    from app.retrieval.lexical import TantivyIndex  # start-up cost: its tables of words

    return TantivyIndex(_folder(settings, owner))


def forget_earlier(settings: Settings, owner: str = SHARED) -> None:
    """Removes what earlier versions of the owner's lexical index have left, for when this one is whole."""
    drop_earlier(_folder(settings, owner))


def _folder(settings: Settings, owner: str) -> Path:
    return settings.data_dir / "lexical" / f"{slug(owner)}.{VERSION}"
