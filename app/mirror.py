"""What other processes see of the turns that run in this one, and what they may order.

Every turn's log is copied to a Redis stream in batches, off the token path; a reader elsewhere follows the
stream. Orders to stop travel through one more stream. Redis may come and go: nothing here fails a turn.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import RedisError

from app.events import Ended, TurnEvent
from app.turnlog import Batch, TurnLog, pack, unpack

FLUSH_SECONDS = 0.05
RETRY_SECONDS = 0.5
BEAT_SECONDS = 1.5
ALIVE_MS = 6_000  # four beats: a slow machine is not a dead one
ABSENCES = 3  # seconds without the process's beat before its turns count as lost
KEPT_SECONDS = 3_600  # more than any turn takes
KEPT_AFTER_END_SECONDS = 600
MOST_WAITING = 10_000  # logs that wait for a Redis that is away; readers elsewhere turn to the store then
STOPS = "stops"
TROUBLE = (RedisError, OSError)

log = logging.getLogger(__name__)


class Lost(Exception):
    """The process that produced this turn is gone; its log will not grow any more."""


class Mirror:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._process = uuid4().hex
        self._dirty: dict[str, TurnLog] = {}
        self._woken = asyncio.Event()
        self._heard = ""  # the last order to stop that was read

    def touch(self, turn: TurnLog) -> None:
        """Notes that a log has grown. Costs the token path a dict entry."""
        self._dirty[turn.turn] = turn
        self._woken.set()

    async def run(self, on_stop: Callable[[str], object]) -> None:
        """Copies, beats and listens until cancelled; `on_stop` gets the ids of turns that are to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._copy())
            group.create_task(_persist(self._beat))
            group.create_task(_persist(lambda: self._listen(on_stop)))

    async def _copy(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            try:
                await self.flush()
                await asyncio.sleep(FLUSH_SECONDS)  # afterwards: the first of a turn's events go at once
            except TROUBLE as error:
                log.warning("mirror: %s", error)
                while len(self._dirty) > MOST_WAITING:
                    self._dirty.pop(next(iter(self._dirty)))
                await asyncio.sleep(RETRY_SECONDS)
                self._woken.set()

    async def flush(self) -> None:
        """Copies what has been appended since the last time. A log stays dirty until it is copied, so a
        batch may be sent twice; readers go by the numbers."""
        sent = []
        pipe = self._redis.pipeline(transaction=False)
        for turn in self._dirty.values():
            sent.append((turn, len(turn.events), len(pipe)))
            fields = {"n": len(turn.events), "p": self._process, "e": pack(turn.events[turn.mirrored :])}
            # Without NOMKSTREAM a Redis that has lost the beginning would take the rest for the whole.
            pipe.xadd(_key(turn.turn), fields, nomkstream=turn.mirrored > 0)  # type: ignore[arg-type]  # invariant
            if turn.ended or not turn.mirrored:
                pipe.expire(_key(turn.turn), KEPT_AFTER_END_SECONDS if turn.ended else KEPT_SECONDS)
        answers = await pipe.execute()
        for turn, size, place in sent:
            self._note(turn, size, copied=answers[place] is not None)

    def _note(self, turn: TurnLog, size: int, *, copied: bool) -> None:
        turn.mirrored = size if copied else 0
        if not copied:
            self._woken.set()
        elif len(turn.events) == size:
            self._dirty.pop(turn.turn, None)

    async def _beat(self) -> None:
        while True:
            await self._redis.set(f"process:{self._process}", 1, px=ALIVE_MS)
            await asyncio.sleep(BEAT_SECONDS)

    async def _listen(self, on_stop: Callable[[str], object]) -> None:
        if not self._heard:  # from now on; after a reconnection, from where it broke off
            seconds, microseconds = await self._redis.time()
            self._heard = f"{seconds * 1000 + microseconds // 1000}-0"
        while True:
            for _, entries in await self._redis.xread({STOPS: self._heard}, block=5_000):
                for self._heard, fields in entries:
                    on_stop(fields[b"turn"].decode())

    async def order_stop(self, turn: str) -> None:
        """Tells whichever process produces the turn to stop it."""
        await self._redis.xadd(STOPS, {"turn": turn}, maxlen=1_000)

    async def read(self, turn: str, after: int) -> AsyncGenerator[Batch, None]:
        """A turn that another process produces, behind number `after`, until it has ended.

        Raises Lost when that process is gone, OSError or RedisError when Redis is.
        """
        last, process, absences = "0", "", 0
        while absences < ABSENCES:
            found = await self._redis.xread({_key(turn): last}, block=1_000)
            for _, entries in found:
                for number, fields in entries:
                    last = number
                    process, n, batch = fields[b"p"].decode(), int(fields[b"n"]), unpack(fields[b"e"])
                    if n > after:
                        yield n, _behind(after, n, batch)
                        after = n
                    if isinstance(batch[-1], Ended):
                        return
            if not found:
                gone = not await self._redis.exists(f"process:{process}")
                absences = absences + 1 if gone else 0
        raise Lost(turn)

    async def left_of(self, turn: str) -> list[TurnEvent]:
        """Everything that was copied of a turn."""
        events: list[TurnEvent] = []
        for _, fields in await self._redis.xrange(_key(turn)):
            events.extend(_behind(len(events), int(fields[b"n"]), unpack(fields[b"e"])))
        return events


async def _persist(work: Callable[[], Awaitable[None]]) -> None:
    """Does the work for ever, however often Redis goes away."""
    while True:
        try:
            await work()
        except TROUBLE as error:
            log.warning("mirror: %s", error)
            await asyncio.sleep(RETRY_SECONDS)


def _behind(after: int, n: int, batch: list[TurnEvent]) -> list[TurnEvent]:
    """The part of a batch that ends with number `n` which lies behind number `after`."""
    return batch[max(0, len(batch) - (n - after)) :] if n > after else []


def _key(turn: str) -> str:
    return f"turn:{turn}"
