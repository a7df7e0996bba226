"""What was asked and what became of it: a bounded record that tests read back, wait on and open gates in.

Every wait here ends by an event, never by polling. Knows nothing of HTTP.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakValueDictionary

KEPT = 2000

Outcome = Literal["open", "done", "error", "cut", "closed"]
Moment = Literal["received", "held", "first_chunk", "finished", "closed", "ended"]


@dataclass(eq=False)
class Record:
    """One request. Times are seconds since the epoch; chunks are those with content.

    `asked` is the model as the request names it, `fields` all of the body but model and messages,
    `breakpoints` the marked messages by their place. `held_at` is the chunk that a gate holds back now;
    `permits` are gates opened but not yet passed.
    """

    id: int
    model: str
    stream: bool
    messages: list[dict[str, str]]
    body: str
    headers: dict[str, str]
    asked: str = ""
    path: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    breakpoints: list[int] = field(default_factory=list)
    received_at: float = field(default_factory=time.time)
    started: float = field(default_factory=time.perf_counter)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    status: int = 200
    outcome: Outcome = "open"
    first_chunk_at: float | None = None
    finished_at: float | None = None
    closed_by_client_at: float | None = None
    chunks_sent: int = 0
    held_at: int | None = None
    permits: float = 0

    def shown(self) -> dict[str, Any]:
        hidden = ("started", "permits")
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def has(self, moment: Moment, at: int | None = None) -> bool:
        """Whether it is held (at this chunk), or has ever reached another moment."""
        match moment:
            case "received":
                return True
            case "held":
                return self.held_at is not None and at in (None, self.held_at)
            case "first_chunk":
                return self.first_chunk_at is not None
            case "finished":
                return self.finished_at is not None
            case "closed":
                return self.closed_by_client_at is not None
            case "ended":
                return self.outcome != "open"


class Ledger:
    """The last requests, oldest first. A forgotten one that is still open keeps its gates."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept: deque[Record] = deque(maxlen=kept)
        self._alive: WeakValueDictionary[int, Record] = WeakValueDictionary()
        self._changed = asyncio.Event()
        self._last = 0

    def open(
        self,
        model: str,
        stream: bool,
        messages: list[dict[str, str]],
        body: str,
        headers: dict[str, str],
        **more: Any,
    ) -> Record:
        self._last += 1
        record = Record(self._last, model, stream, messages, body, headers, **more)
        self._kept.append(record)
        self._alive[record.id] = record
        self._change()
        return record

    def listed(self, model: str | None = None, after: int = 0) -> list[Record]:
        return [one for one in self._kept if one.id > after and model in (None, one.model)]

    def find(self, key: str, after: int = 0) -> Record | None:
        """By id, or the newest of a model, an open one first."""
        if key.isdecimal():
            return self._alive.get(int(key))
        found = self.listed(key, after)
        return next((one for one in reversed(found) if one.outcome == "open"), found[-1] if found else None)

    def clear(self) -> None:
        self._kept.clear()

    def sent(self, record: Record, chunks: int) -> None:
        record.chunks_sent += chunks
        if record.first_chunk_at is None:
            record.first_chunk_at = time.time()
            self._change()

    def finish(self, record: Record, outcome: Outcome, status: int = 200) -> None:
        record.finished_at, record.outcome, record.status = time.time(), outcome, status
        self._change()

    def closed(self, record: Record) -> None:
        record.closed_by_client_at, record.outcome, record.held_at = time.time(), "closed", None
        self._change()

    def release(self, record: Record, gates: float) -> None:
        """Opens so many gates, the one that holds now first, then those to come."""
        record.permits += gates
        self._change()

    async def hold(self, record: Record, chunk: int) -> None:
        """Returns once a gate before this chunk was opened, at once if it already is."""
        if record.permits < 1:
            record.held_at = chunk
            self._change()
            await self.until(lambda: record.permits >= 1)
            record.held_at = None
        record.permits -= 1

    async def until(self, happened: Callable[[], object]) -> None:
        while not happened():
            await self._changed.wait()

    def _change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
