"""Turns with figures of a test's choosing: as records and paints, and kept as the application keeps them."""

from typing import Any
from uuid import uuid4

from app.events import Delta, Failed, Finished, Routed, Span, Started, TurnEvent, Usage
from app.measures import Paint, Record, record
from app.store import Store
from app.turn import Turn


def events(
    turn: Turn,
    *,
    prefill: float = 200.0,
    search: float = 20.0,
    own: float = 10.0,
    pace: float = 10.0,
    tokens: int = 101,
    prompt: int = 500,
    route: str = "standard",
    model: str = "large",
    cached: bool = False,
    failed: str = "",
) -> list[TurnEvent]:
    """Milliseconds: `search`, then `own`, then the model's `prefill`, then `pace` a token."""
    began = search + own
    decode = pace * (tokens - 1)
    timings = {"search": search, "ttft": began + prefill, "decode": decode, "stall_max": 2 * pace}
    timings |= {"upstream_ttft": prefill, "total": began + prefill + decode}
    spans = [Span("embed", 0, search / 2), Span("dense", search / 2, search / 2), Span("search", 0, search)]
    spans += [Span("prefill", began, prefill), Span("decode", began + prefill, decode)]
    start: list[TurnEvent] = [Started(turn.id, turn.conversation, turn.question), Routed(route, model, "")]
    if failed:
        return [*start, Failed(failed, "It failed.", True, timings, tuple(spans))]
    usage = Usage(prompt, tokens)
    return [
        *start,
        Delta("An answer."),
        Finished(cached, model, route, usage, timings, spans=tuple(spans)),
    ]


def a_turn(owner: str = "", created: float = 0.0, question: str = "A secret question?") -> Turn:
    return Turn(uuid4().hex, owner or uuid4().hex, uuid4().hex, question, created)


def a_record(**figures: Any) -> Record:
    return record(events(a_turn(), **figures))


def a_paint(seen: Record, *, travel: float = 4.0, hidden: bool = False, resumed: bool = False) -> Paint:
    """What a browser saw of that: each moment `travel` ms later than the server knew it."""
    first, total = seen.ms("ttft"), seen.ms("total")
    return Paint(
        sent=travel / 2,
        got=travel,
        end=total + travel,
        ttfp=travel + 1,
        ttfs=min(seen.ms("search"), first) + travel,
        ttft=first + travel,
        last=total + travel,
        stall_max=seen.ms("stall_max"),
        hidden=hidden,
        resumed=resumed,
    )


async def keep(
    store: Store,
    owner: str,
    created: float,
    *,
    hidden: bool = False,
    painted: bool = True,
    **figures: Any,
) -> Turn:
    """A turn from its question to its browser's report."""
    turn = a_turn(owner, created)
    told = events(turn, **figures)
    await store.conversations.add(turn)
    await store.conversations.save(turn.id, told)
    if painted:
        await store.measures.paint(owner, turn.id, a_paint(record(told), hidden=hidden))
    return turn
