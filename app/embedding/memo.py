"""Vectors of questions asked lately, and of those being embedded: the same text is embedded once.

So whoever knows a question first may let it be embedded while it does something else, and whoever needs the
vector joins in. Wraps any Embedder; knows nothing of models.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from app.embedding.protocol import Embedder, Vector

REMEMBERED = 512


class Memo:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, asyncio.Future[Vector]] = OrderedDict()
        self.state = "not asked yet"  # how the latest text went: "ok", or what was wrong

    @property
    def name(self) -> str:
        return self._embedder.name

    def begin(self, text: str) -> None:
        """Lets the text be embedded meanwhile; a failure is for whoever asks for the vector."""
        self._vector(text)

    async def query(self, text: str) -> Vector:
        return await asyncio.shield(self._vector(text))  # one asker that leaves must not cancel the others'

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return await self._embedder.passages(texts)

    async def warm(self) -> None:
        await self._embedder.warm()

    async def close(self) -> None:
        await self._embedder.close()

    def _vector(self, text: str) -> asyncio.Future[Vector]:
        known = self._vectors.get(text)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            known = self._vectors[text] = asyncio.ensure_future(self._embedder.query(text))
            known.add_done_callback(self._note)
        self._vectors.move_to_end(text)
        if len(self._vectors) > REMEMBERED:
            self._vectors.popitem(last=False)
        return known

    def _note(self, vector: asyncio.Future[Vector]) -> None:
        """Also takes note of an exception that nobody asked for."""
        if not vector.cancelled():
            error = vector.exception()
            self.state = "ok" if error is None else str(error)
