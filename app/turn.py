"""The score: one question's way to an answer. Only this module knows the order of the stages.

Stages never call one another, raise `TurnError` when they cannot do their part, and know nothing of
events. `answer` never raises: whatever happens, the last thing it emits is one `Finished` or `Failed`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter
from typing import TypeVar

from app.embedding import Embedder
from app.errors import TurnError
from app.events import (
    Card,
    Delta,
    Failed,
    Finished,
    Prompted,
    Routed,
    Sources,
    Started,
    Step,
    TurnEvent,
    Usage,
)
from app.models import Model
from app.prompt import Exchange, Message, build
from app.retrieval import Index, Passage
from app.retrieval.protocol import shown
from app.routing import Route, Router
from app.timings import Timings

T = TypeVar("T")
Emit = Callable[[TurnEvent], object]

LEG_SECONDS = 5.0  # a stage before the model that takes longer is left out, visibly

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question on its way. Ids are UUIDs in hex; `created` is seconds since the epoch, `arrived` the same
    moment by this process's `perf_counter`."""

    id: str
    owner: str
    conversation: str
    question: str
    created: float
    arrived: float = field(default_factory=perf_counter)


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
    timings = Timings(turn.arrived)
    timings.begin("queue", turn.arrived)
    timings.end("queue")
    try:
        emit(Started(turn.id, turn.conversation, turn.question))
        await _play(turn, stages, emit, timings)
    except asyncio.CancelledError as order:
        kind = order.args[0] if order.args else "interrupted"
        emit(Failed(kind, CANCELLED.get(kind, kind), True, *timings.close()))
    except TurnError as error:
        emit(Failed(error.kind, error.message, error.retryable, *timings.close()))
    except Exception:
        log.exception("turn %s failed", turn.id)
        emit(Failed("internal", "Something went wrong here. It has been logged.", True, *timings.close()))


async def _play(turn: Turn, stages: Stages, emit: Emit, timings: Timings) -> None:
    with timings.stage("route"):
        route = stages.router.route(turn.question)
    async with asyncio.TaskGroup() as group:
        history = group.create_task(_leg("history", stages.history(turn), (), emit, timings))
        passages = group.create_task(
            _leg("search", _search(turn.question, route.k, stages, timings), (), emit, timings)
        )
    emit(Routed(route.name, route.model, route.reason))
    emit(Sources(_cards(passages.result())))
    with timings.stage("prompt"):
        prompt = build(turn.question, passages.result(), history.result())
        messages = prompt.messages()
    try:
        finished = await _generate(messages, route, stages.model, emit, timings)
    finally:  # afterwards: nobody waits for it
        emit(Prompted(prompt.tokens(), prompt.prefix()))
    emit(finished)


async def _search(question: str, k: int, stages: Stages, timings: Timings) -> Sequence[Passage]:
    with timings.stage("embed"):
        vector = await stages.embedder.query(question)
    with timings.stage("dense"):
        return await stages.index.search(vector, k)


async def _generate(
    messages: Sequence[Message], route: Route, model: Model, emit: Emit, timings: Timings
) -> Finished:
    """Prefill until the first text, decode from there to the end; told apart, for their cures differ."""
    usage, reason, asked = Usage(), "stop", perf_counter()
    emit(Step("prefill", "running"))
    timings.begin("prefill", asked)
    async with aclosing(model.stream(messages, route)) as chunks:
        async for chunk in chunks:
            usage, reason = chunk.usage or usage, chunk.reason or reason
            if chunk.connected is not None:
                timings.begin("connect", asked)
                timings.end("connect", chunk.connected)
                timings.begin("prefill", chunk.connected)
            if text := chunk.text.replace("\0", ""):  # no page shows it, and Postgres refuses it
                if timings.text(asked):
                    emit(Step("prefill", "done", ms=timings.end("prefill")))
                    emit(Step("decode", "running"))
                    timings.begin("decode")
                emit(Delta(text))
    emit(Step("decode", "done", ms=timings.end("decode")))
    took, spans = timings.close()
    return Finished(False, route.model, route.name, usage, took, reason, spans)


async def _leg(
    name: str, work: Awaitable[Sequence[T]], fallback: Sequence[T], emit: Emit, timings: Timings
) -> Sequence[T]:
    """One stage before the model: told as it runs, and left out, visibly, when it fails or dawdles."""
    timings.begin(name)
    emit(Step(name, "running"))
    try:
        async with asyncio.timeout(LEG_SECONDS):
            found = await work
    except TimeoutError:
        emit(Step(name, "failed", f"no answer within {LEG_SECONDS:g} s", timings.end(name)))
        return fallback
    except TurnError as error:
        emit(Step(name, "failed", error.message, timings.end(name)))
        return fallback
    emit(Step(name, "done", str(len(found)), timings.end(name)))
    return found


def _cards(passages: Sequence[Passage]) -> tuple[Card, ...]:
    return tuple(
        Card(n, p.title, shown(p.uri), p.page, p.start, p.end, p.text, round(p.score, 4))
        for n, p in enumerate(passages, 1)
    )


CANCELLED = {"stopped": "Stopped.", "interrupted": "The server shut down while answering."}
