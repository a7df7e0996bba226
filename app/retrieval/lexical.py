"""Placeholder until the lexical index is built."""

from collections.abc import Sequence

from app.retrieval.protocol import Passage


class NoLexical:
    async def warm(self) -> None: ...

    async def search(self, question: str, k: int) -> tuple[Passage, ...]:
        return ()

    async def add(self, document: str, passages: Sequence[Passage]) -> None: ...

    async def remove(self, document: str, *, keep: Sequence[str] = ()) -> None: ...

    async def count(self) -> int:
        return 0
