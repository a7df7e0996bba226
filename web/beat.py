"""One timer for all streams of a process: whoever has just sent text waits for the next beat to send more."""

import asyncio

SECONDS = 0.04


class Beat:
    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._next: asyncio.Future[None] | None = None

    async def next(self) -> None:
        """Until the next beat, at most `seconds` away. No timer runs while nobody waits."""
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.create_future()
            loop.call_later(self._seconds, self._strike)
        await asyncio.shield(self._next)  # a reader that leaves must not cancel it for the others

    def _strike(self) -> None:
        if self._next is not None:
            self._next.set_result(None)
            self._next = None
