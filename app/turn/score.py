"""The score: one question's way to an answer. Only this module knows the order of the stages.

Stages never call one another, raise `TurnError` when they cannot do their part, and know nothing of
events. `answer` never raises: whatever happens, the last thing it emits is one `Finished` or `Failed`.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from app.errors import TurnError
from app.events import Card, Failed, Finished, Prompted, Retracted, Routed, Sources, Started, Step, Usage
from app.models import Hints
from app.prompt import History, build
from app.retrieval import Found, Passage
from app.retrieval.protocol import shown
from app.routing import FAILED, Route, Router
from app.timings import Timings
from app.turn.calling import Unanswered, call
from app.turn.legs import Legs
from app.turn.search import search
from app.turn.stages import Emit, Stages, Turn

ELSEWHERE = ("upstream_failed", "upstream_refused")  # failures that the large model need not share

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Given:
    """What there is to answer from."""

    turn: Turn
    history: History
    found: Found
    hints: Hints


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
        route = stages.router.route(turn.question, large=turn.large)
    emit(_routed(route, stages.router))
    history, found, earlier = await _gather(turn, route, stages, Legs(emit, timings))
    with timings.stage("settle"):
        settled = stages.router.settle(route, history, found)
    if settled != route:
        emit(_routed(settled, stages.router))
    emit(Sources(_cards(found.passages)))
    given = Given(turn, history, found, Hints(turn.conversation, earlier))
    emit(await _generate(given, settled, stages, emit, timings))


async def _gather(turn: Turn, route: Route, stages: Stages, legs: Legs) -> tuple[History, Found, str]:
    """All that the prompt is made of, at once: the wait is that of the longest."""
    async with asyncio.TaskGroup() as group:
        history = group.create_task(
            legs.run("history", stages.history(turn), History(), lambda had: str(len(had.exchanges)))
        )
        found = group.create_task(
            legs.run(
                "search",
                search(turn, history, route, stages, legs),
                Found(searched=False),
                lambda had: str(len(had.passages)),
            )
        )
        earlier = group.create_task(_earlier(turn, stages, legs))
    return history.result(), found.result(), earlier.result()


async def _earlier(turn: Turn, stages: Stages, legs: Legs) -> str:
    """The answer that the model may repeat, when the question is asked once more or edited."""
    return await legs.run("earlier", stages.earlier(turn), "") if turn.replaces else ""


async def _generate(given: Given, route: Route, stages: Stages, emit: Emit, timings: Timings) -> Finished:
    """The answer of the route's model or, visibly, of the large one when the small one's is none."""
    larger = stages.router.escalate(route) if given.found.passages else None
    if larger is None:
        return await _ask(given, route, stages, emit, timings, judged=False)
    asked = perf_counter()
    try:
        return await _ask(given, route, stages, emit, timings, judged=True)
    except Unanswered as passed:
        why, usage = passed.reason, passed.usage
        emit(Step("decode", "done", ms=timings.end("decode")))
    except TurnError as error:
        if error.kind not in ELSEWHERE or timings.spoke:
            raise
        why, usage = FAILED, Usage()
    timings.begin("small", asked)
    timings.retract()
    emit(Step("escalate", "done", why, timings.end("small")))
    emit(Retracted(why, larger.model, usage))
    larger = replace(larger, reason=why)
    emit(_routed(larger, stages.router))
    return await _ask(given, larger, stages, emit, timings, judged=False)


async def _ask(
    given: Given, route: Route, stages: Stages, emit: Emit, timings: Timings, *, judged: bool
) -> Finished:
    with timings.stage("prompt"):
        found = given.found
        prompt = build(
            given.turn.question, found.passages, given.history, route.style, searched=found.searched
        )
        messages = prompt.messages()
    try:
        return await call(messages, route, given.hints, stages.model, emit, timings, judged=judged)
    finally:  # afterwards: nobody waits for it
        emit(Prompted(prompt.tokens(), prompt.prefix()))


def _routed(route: Route, router: Router) -> Routed:
    larger = router.escalate(route)
    return Routed(route.name, route.model, route.reason, larger.model if larger else "")


def _cards(passages: Sequence[Passage]) -> tuple[Card, ...]:
    return tuple(
        Card(n, p.title, shown(p.uri), p.page, p.start, p.end, p.text, round(p.score, 4))
        for n, p in enumerate(passages, 1)
    )


CANCELLED = {"stopped": "Stopped.", "interrupted": "The server shut down while answering."}
