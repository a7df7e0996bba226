"""What browsers saw, on its way to the database: written together, for each by itself would cost twenty times
as much, and it is nobody's wait. Readers of this process call `flush` first, and so miss nothing."""

import asyncio
import logging

from sqlalchemy.exc import SQLAlchemyError

from app.store import Measures, Painted

SECONDS = 0.5  # how long the first one waits for others
REMEMBERED = 1_000  # turns that were told of; the database refuses the repetitions that are forgotten here

log = logging.getLogger(__name__)


class Paints:
    def __init__(self, measures: Measures, seconds: float = SECONDS) -> None:
        self._measures = measures
        self._seconds = seconds
        self._told: list[Painted] = []
        self._known: dict[str, None] = {}
        self._writing = asyncio.Lock()
        self._later: asyncio.Task[None] | None = None

    def add(self, told: Painted) -> bool:
        """False for a turn that was told of before: the first word counts."""
        if told.turn in self._known:
            return False
        self._known[told.turn] = None
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        self._told.append(told)
        if self._later is None:
            self._later = asyncio.create_task(self._flush_later())
        return True

    async def flush(self) -> None:
        """Until all that was added is kept. Figures that a broken database refuses are lost, not a turn."""
        async with self._writing:
            told, self._told = self._told, []
            try:
                if told:
                    await self._measures.paint_all(told)
            except (SQLAlchemyError, OSError) as error:
                log.warning("what browsers saw of %d turns could not be kept: %s", len(told), error)

    async def close(self) -> None:
        if self._later is not None:
            self._later.cancel()
        await self.flush()

    async def _flush_later(self) -> None:
        await asyncio.sleep(self._seconds)
        self._later = None
        await self.flush()
