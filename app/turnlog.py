"""The numbered event log of a running turn: appended by its producer, read by everyone else.

A closed tab, a reload and a second tab are the same thing: a reader at some number. Numbers start at 1.
This module knows neither where a log is mirrored nor where it is stored.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import groupby

import msgspec

from app.events import Delta, Ended, TurnEvent, decode, encode, name_of

Batch = tuple[int, Sequence[TurnEvent]]  # the number of the last event, and the events in order


class TurnLog:
    """One turn's events, in the process that produces them."""

    def __init__(
        self, turn: str, on_append: Callable[["TurnLog"], None] = lambda log: None, created: float = 0.0
    ) -> None:
        """`created` is when the question arrived, in seconds since the epoch."""
        self.turn = turn
        self.created = created
        self.events: list[TurnEvent] = []
        self.mirrored = 0  # how many of the events other processes can see
        self._on_append = on_append
        self._changed: asyncio.Future[None] | None = None

    @property
    def ended(self) -> bool:
        return bool(self.events) and isinstance(self.events[-1], Ended)

    def append(self, event: TurnEvent) -> int:
        """Adds an event and wakes every reader; returns the event's number."""
        self.events.append(event)
        if self._changed is not None:
            self._changed.set_result(None)
            self._changed = None
        self._on_append(self)
        return len(self.events)

    async def read(self, after: int) -> AsyncGenerator[Batch, None]:
        """All events behind number `after`, in batches as they come, until the turn has ended."""
        while True:
            if len(self.events) > after:
                batch = self.events[after:]
                after += len(batch)
                yield after, batch
            elif self.ended:
                return
            else:
                await self._change()

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        # A reader that leaves must not cancel the future it shares with the others.
        await asyncio.shield(self._changed)


class _Run(msgspec.Struct):
    text: str
    sizes: list[int]


def pack(events: Sequence[TurnEvent]) -> bytes:
    """A transcript as JSON. Runs of deltas become one text with its `sizes`, so that numbers survive."""
    records: list[tuple[str, msgspec.Raw | _Run]] = []
    for is_delta, group in groupby(events, lambda event: isinstance(event, Delta)):
        if is_delta:
            texts = [event.text for event in group if isinstance(event, Delta)]
            records.append(("deltas", _Run("".join(texts), [len(text) for text in texts])))
        else:
            records.extend((name_of(event), msgspec.Raw(encode(event))) for event in group)
    return msgspec.json.encode(records)


def unpack(data: bytes, *, merged: bool = False) -> list[TurnEvent]:
    """The inverse of `pack`; `merged` leaves each run of deltas in one piece, for reading, not resuming."""
    events: list[TurnEvent] = []
    for name, value in msgspec.json.decode(data, type=list[tuple[str, msgspec.Raw]]):
        if name != "deltas":
            events.append(decode(name, bytes(value)))
            continue
        run = msgspec.json.decode(value, type=_Run)
        start = 0
        for size in [len(run.text)] if merged else run.sizes:
            events.append(Delta(run.text[start : start + size]))
            start += size
    return events
