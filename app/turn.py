"""The score: one question's way to an answer. Only this module knows the order of the stages.

Stages never call one another, raise `TurnError` when they cannot do their part, and know nothing of
events. `answer` never raises: whatever happens, the last thing it emits is one `Finished` or `Failed`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from app.embedding import Embedder
from app.errors import TurnError
from app.events import Card, Delta, Failed, Finished, Routed, Sources, Started, Step, TurnEvent, Usage
from app.models import Model
from app.prompt import Exchange, Message, build
from app.retrieval import Index, Passage
from app.retrieval.protocol import shown
from app.routing import Route, Router

T = TypeVar("T")
Emit = Callable[[TurnEvent], object]

LEG_SECONDS = 5.0  # a stage before the model that takes longer is left out, visibly

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question on its way. Ids are UUIDs in hex; `created` is seconds since the epoch."""

    id: str
    owner: str
    conversation: str
    question: str
    created: float


@dataclass(frozen=True, slots=True)
class Stages:
    """What `answer` calls, each behind its protocol."""

    router: Router
    embedder: Embedder
    index: Index
    model: Model
    history: Callable[[Turn], Awaitable[Sequence[Exchange]]]


async def answer(turn: Turn, stages: Stages, emit: Emit) -> None:
    """Emits everything that happens, from `Started` to `Finished` or `Failed`. Never raises.

    A task that runs it is stopped by `task.cancel(kind)`; the kind becomes that of the `Failed`.
    """
    timings = Timings()
    try:
        emit(Started(turn.id, turn.conversation, turn.question))
        await _play(turn, stages, emit, timings)
    except asyncio.CancelledError as order:
        kind = order.args[0] if order.args else "interrupted"
        emit(Failed(kind, CANCELLED.get(kind, kind), retryable=True, timings=timings.all()))
    except TurnError as error:
        emit(Failed(error.kind, error.message, error.retryable, timings.all()))
    except Exception:
        log.exception("turn %s failed", turn.id)
        emit(Failed("internal", "Something went wrong here. It has been logged.", True, timings.all()))


async def _play(turn: Turn, stages: Stages, emit: Emit, timings: "Timings") -> None:
    route = stages.router.route(turn.question)
    async with asyncio.TaskGroup() as group:
        history = group.create_task(_leg("history", stages.history(turn), (), emit, timings))
        passages = group.create_task(
            _leg("search", _search(turn.question, route.k, stages, timings), (), emit, timings)
        )
    emit(Routed(route.name, route.model, route.reason))
    emit(Sources(_cards(passages.result())))
    messages = build(turn.question, passages.result(), history.result())
    emit(await _generate(messages, route, stages.model, emit, timings))


async def _search(question: str, k: int, stages: Stages, timings: "Timings") -> Sequence[Passage]:
    began = perf_counter()
    vector = await stages.embedder.query(question)
    timings.took("embed", began)
    return await stages.index.search(vector, k)


async def _generate(
    messages: Sequence[Message], route: Route, model: Model, emit: Emit, timings: "Timings"
) -> Finished:
    """Prefill until the first text, decode from there to the end; told apart, for their cures differ."""
    usage, reason, began = Usage(), "", perf_counter()
    emit(Step("prefill", "running"))
    async with aclosing(model.stream(messages, route)) as chunks:
        async for chunk in chunks:
            usage, reason = chunk.usage or usage, chunk.reason or reason
            if text := chunk.text.replace("\0", ""):  # no page shows it, and Postgres refuses it
                if timings.chunk(began):
                    emit(Step("prefill", "done", ms=timings.read("upstream_ttft")))
                    emit(Step("decode", "running"))
                emit(Delta(text))
    emit(Step("decode", "done", ms=timings.decoded()))
    return Finished(False, route.model, route.name, usage, timings.all(), reason or "stop")


async def _leg(
    name: str, work: Awaitable[Sequence[T]], fallback: Sequence[T], emit: Emit, timings: "Timings"
) -> Sequence[T]:
    """One stage before the model: told as it runs, and left out, visibly, when it fails or dawdles."""
    began = perf_counter()
    emit(Step(name, "running"))
    try:
        async with asyncio.timeout(LEG_SECONDS):
            found = await work
    except TimeoutError:
        emit(Step(name, "failed", f"no answer within {LEG_SECONDS:g} s", timings.took(name, began)))
        return fallback
    except TurnError as error:
        emit(Step(name, "failed", error.message, timings.took(name, began)))
        return fallback
    emit(Step(name, "done", str(len(found)), timings.took(name, began)))
    return found


def _cards(passages: Sequence[Passage]) -> tuple[Card, ...]:
    return tuple(
        Card(n, p.title, shown(p.uri), p.page, p.start, p.end, p.text, round(p.score, 4))
        for n, p in enumerate(passages, 1)
    )


class Timings:
    """Milliseconds by name: `history`, `embed`, `search`, `upstream_ttft` (request handed over to first
    text), `decode` (first text to last), `stall_max` (longest gap between two chunks), `ttft` and `total`
    (from the start of the turn)."""

    def __init__(self) -> None:
        self._began = self._first = self._last = perf_counter()
        self._spans: dict[str, float] = {}

    def took(self, name: str, began: float) -> float:
        self._spans[name] = milliseconds = round((perf_counter() - began) * 1000, 2)
        return milliseconds

    def chunk(self, began: float) -> bool:
        """Notes that text has arrived from a request that began then; True for the first time."""
        now = perf_counter()
        first = "ttft" not in self._spans
        if first:
            self.took("upstream_ttft", began)
            self.took("ttft", self._began)
            self._spans["stall_max"] = 0.0
            self._first = now
        else:
            self._spans["stall_max"] = max(self._spans["stall_max"], round((now - self._last) * 1000, 2))
        self._last = now
        return first

    def decoded(self) -> float:
        return self.took("decode", self._first)

    def read(self, name: str) -> float:
        return self._spans[name]

    def all(self) -> dict[str, float]:
        self.took("total", self._began)
        return dict(self._spans)


CANCELLED = {"stopped": "Stopped.", "interrupted": "The server shut down while answering."}
