"""Plays a scenario: each chunk at its time on one absolute schedule, and whatever goes wrong on the way.

Knows nothing of JSON or sockets; a `Sink` takes what it plays.
"""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from dev.standin.ledger import Ledger, Outcome, Record
from dev.standin.scenario import Scenario


class Sink(Protocol):
    """Where an answer goes. `begin` comes first and once; `cut` or `finish` comes last, or neither."""

    async def begin(self, empty: int) -> None: ...
    async def content(self, chunks: Sequence[str]) -> None: ...
    async def broken(self) -> None: ...
    async def cut(self, *, reset: bool) -> None: ...
    async def finish(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Write:
    """Chunks `first` to `last`, counted from 1, that leave together `due` milliseconds after the start."""

    first: int
    last: int
    due: float


class Clock:
    """Milliseconds since a request came, without the time that gates held it."""

    def __init__(self, started: float) -> None:
        self._origin = started

    async def until(self, due: float) -> None:
        # Even when it is late: the loop must get to see that a client left.
        await asyncio.sleep(max(0.0, self._origin + due / 1000 - time.perf_counter()))

    def skip(self, seconds: float) -> None:
        self._origin += seconds


def schedule(scenario: Scenario, chunks: int, wait: float) -> list[Write]:
    """The writes of so many chunks, the first of which is due after `wait` milliseconds."""
    due = _times(scenario, chunks, wait)
    starts = list(_starts(scenario, chunks))
    ends = [after - 1 for after in [*starts[1:], chunks + 1]][: len(starts)]
    return [Write(first, last, due[first - 1]) for first, last in zip(starts, ends, strict=True)]


def _times(scenario: Scenario, chunks: int, wait: float) -> list[float]:
    later = random.Random(f"{scenario.seed}/{scenario.jitter}")  # noqa: S311 - a repeatable series, no secret
    stalls = accumulate(scenario.stalls.get(chunk, 0.0) for chunk in range(1, chunks + 1))
    planned = (
        wait + chunk * scenario.itl + stalled + later.uniform(0, scenario.jitter)
        for chunk, stalled in enumerate(stalls)
    )
    return list(accumulate(planned, max))  # jitter never changes the order


def _starts(scenario: Scenario, chunks: int) -> Iterator[int]:
    """Chunks that begin a write: every burst, and wherever something happens in between."""
    ends = (scenario.cut, scenario.reset, scenario.hang, scenario.malformed)
    breaks = {*scenario.stalls, *scenario.gates, *(end + 1 for end in ends if end is not None)}
    for chunk in range(1, chunks + 1):
        if chunk in breaks or scenario.gated or (chunk - 1) % scenario.burst == 0:
            yield chunk


async def play(
    scenario: Scenario, chunks: Sequence[str], wait: float, sink: Sink, ledger: Ledger, record: Record
) -> Outcome:
    """Sends it all; returns how it ended. A hang never returns: the caller cancels it."""
    clock = Clock(record.started)
    begun = scenario.early or scenario.cut == 0 or scenario.reset == 0
    if begun:
        await sink.begin(scenario.empty)
    if await _ends(scenario, 0, sink):
        return "cut"
    for write in schedule(scenario, len(chunks), wait):
        await _gate(scenario, write.first, clock, ledger, record)
        await clock.until(write.due)
        if not begun:
            begun = True
            await sink.begin(scenario.empty)
        await sink.content(chunks[write.first - 1 : write.last])
        ledger.sent(record, write.last - write.first + 1)
        if await _ends(scenario, write.last, sink):
            return "cut"
    await _gate(scenario, len(chunks) + 1, clock, ledger, record)
    if not begun:
        await clock.until(wait)
        await sink.begin(scenario.empty)
    await sink.finish()
    return "done"


async def _gate(scenario: Scenario, chunk: int, clock: Clock, ledger: Ledger, record: Record) -> None:
    if scenario.gated or chunk in scenario.gates:
        since = time.perf_counter()
        await ledger.hold(record, chunk)
        clock.skip(time.perf_counter() - since)


async def _ends(scenario: Scenario, chunk: int, sink: Sink) -> bool:
    """What happens after a chunk; whether the answer ends there without its end."""
    if scenario.malformed == chunk:
        await sink.broken()
    if chunk == scenario.hang:
        await asyncio.get_running_loop().create_future()
    if chunk not in (scenario.cut, scenario.reset):
        return False
    await sink.cut(reset=chunk == scenario.reset)
    return True
