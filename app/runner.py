"""Owns the running turns of this process: starts them, stops them, keeps what came of them.

A turn is a task that nobody waits for; whoever is interested reads its log. Stop is an order to the task,
a reader that leaves is nothing.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from app.events import Ended, Failed, TurnEvent
from app.jobs import Queue
from app.mirror import Lost, Mirror
from app.store import Conversations, StoredTurn
from app.telemetry.context import turn_of_this_task
from app.turn import CANCELLED, Stages, Turn, answer
from app.turnlog import Batch, TurnLog

REMEMBERED_SECONDS = 60.0  # how long an ended log stays here for late readers, before the store serves them
SETTLE_SECONDS = 2.0
SAVE_DELAYS = (0.1, 0.5, 2.0, 5.0)

Report = Callable[[Turn, Sequence[TurnEvent]], object]
Count = Callable[[int], object]

log = logging.getLogger(__name__)


class Runner:
    def __init__(
        self,
        stages: Stages,
        conversations: Conversations,
        mirror: Mirror,
        queue: Queue,
        report: Report = lambda turn, events: None,
        count: Count = lambda running: None,
    ) -> None:
        """`report` is told of each turn once it is kept, and `count` how many run; neither may raise."""
        self._stages = stages
        self._conversations = conversations
        self._mirror = mirror
        self._queue = queue
        self._report = report
        self._count = count
        self._logs: dict[str, tuple[str, TurnLog]] = {}
        self._producers: dict[str, asyncio.Task[None]] = {}
        self._keepers: set[asyncio.Task[None]] = set()
        self._unkept: dict[str, tuple[str, TurnLog, asyncio.Event]] = {}  # by turn, with its conversation
        self._last_word = "stopped"  # what a turn is told that never began

    def start(self, turn: Turn) -> TurnLog:
        """Sets the turn going; its log grows from the next step of the event loop on."""
        turn_log = TurnLog(turn.id, self._mirror.touch, turn.created)
        self._logs[turn.id] = (turn.owner, turn_log)
        self._unkept[turn.id] = (turn.conversation, turn_log, asyncio.Event())
        with turn_of_this_task(turn.id):
            self._producers[turn.id] = asyncio.create_task(answer(turn, self._stages, turn_log.append))
            keeper = asyncio.create_task(self._keep(turn, turn_log))
        self._keepers.add(keeper)
        keeper.add_done_callback(self._keepers.discard)
        self._count(len(self._producers))
        return turn_log

    def find(self, owner: str, turn: str) -> TurnLog | None:
        """The log of a turn that runs, or ran lately, in this process."""
        mine, turn_log = self._logs.get(turn, ("", None))
        return turn_log if mine == owner else None

    async def settle(self, conversation: str) -> None:
        """Until what has ended in a conversation is kept, so that its next question finds it there."""
        ended = [kept for where, log, kept in self._unkept.values() if where == conversation and log.ended]
        with suppress(TimeoutError):  # a database that is away: the question goes on without
            async with asyncio.timeout(SETTLE_SECONDS):
                for kept in ended:
                    await kept.wait()

    def stop_here(self, turn: str, kind: str = "stopped") -> bool:
        """Orders a turn of this process to end with what it has. False when it does not run here."""
        producer = self._producers.get(turn)
        return producer is not None and producer.cancel(kind)

    async def stop(self, turn: str) -> None:
        """The same, wherever it runs; raises RedisError or OSError when it cannot be told."""
        if not self.stop_here(turn) and turn not in self._logs:  # what has ended here runs nowhere else
            await self._mirror.order_stop(turn)

    async def drain(self, seconds: float) -> None:
        """At shutdown: gives running turns so long, then ends them with what they have, and keeps all."""
        if self._producers:
            await asyncio.wait(self._producers.values(), timeout=seconds)
        self._last_word = "interrupted"
        for turn in list(self._producers):
            self.stop_here(turn, self._last_word)
        if self._keepers:
            await asyncio.wait(self._keepers)

    async def read(self, owner: str, turn: StoredTurn, after: int) -> AsyncGenerator[Batch, None]:
        """A turn's events behind number `after`: from this process, the store, or another process."""
        turn_log = self.find(owner, turn.id)
        if turn_log is not None:
            source = turn_log.read(after)
        elif turn.status == "running":
            source = self._follow(owner, turn, after)
        else:
            source = _replay(turn, after)
        async for batch in source:
            yield batch

    async def _follow(self, owner: str, turn: StoredTurn, after: int) -> AsyncGenerator[Batch, None]:
        """Another process's turn. When that process is gone, what it left becomes the turn's end."""
        try:
            async for n, events in self._mirror.read(turn.id, after):
                after = n
                yield n, events
                if isinstance(events[-1], Ended):
                    return
        except Lost:
            await self._bury(turn.id)
            kept = await self._conversations.turn(owner, turn.id)
            if kept is not None:
                for batch in _whole(kept, after):
                    yield batch

    async def _bury(self, turn: str) -> None:
        left: list[TurnEvent] = await self._mirror.left_of(turn)
        if not left or not isinstance(left[-1], Ended):
            left.append(Failed("interrupted", "The server stopped while answering.", retryable=True))
        await self._conversations.bury(turn, left)

    async def _keep(self, turn: Turn, turn_log: TurnLog) -> None:
        await asyncio.wait([self._producers[turn.id]])
        del self._producers[turn.id]
        self._count(len(self._producers))
        if not turn_log.ended:  # told to end before its first step
            turn_log.append(Failed(self._last_word, CANCELLED[self._last_word], retryable=True))
        try:
            await self._save(turn, turn_log)
        finally:
            *_, kept = self._unkept.pop(turn.id)
            kept.set()
            forget = partial(self._logs.pop, turn.id, None)
            asyncio.get_running_loop().call_later(REMEMBERED_SECONDS, forget)
        await self._queue.ring()
        self._report(turn, turn_log.events)

    async def _save(self, turn: Turn, turn_log: TurnLog) -> None:
        for delay in (*SAVE_DELAYS, None):
            try:
                await self._conversations.save(turn.id, turn_log.events)
                return
            except (SQLAlchemyError, OSError):
                log.exception("turn %s could not be kept", turn.id)
                if delay is not None:
                    await asyncio.sleep(delay)


async def _replay(turn: StoredTurn, after: int) -> AsyncGenerator[Batch, None]:
    for batch in _whole(turn, after):
        yield batch


def _whole(turn: StoredTurn, after: int) -> list[Batch]:
    events = turn.events()
    return [(len(events), events[after:])] if len(events) > after else []
