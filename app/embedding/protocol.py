"""Text to vectors, behind one protocol: the model in a wheel, or an OpenAI-compatible endpoint."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]


class Embedder(Protocol):
    """Vectors are L2-normalised. Neither method blocks the event loop."""

    @property
    def name(self) -> str:
        """Identifies the vector space; an index made with another name is not comparable."""
        ...

    async def warm(self) -> None:
        """Loads what the first query would otherwise wait for."""
        ...

    async def close(self) -> None: ...

    async def query(self, text: str) -> Vector: ...

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]: ...
