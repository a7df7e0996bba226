"""One turn as the statistics see it, and turns by what they have in common."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType

from app.measures import Paint, Record, Rendered, unhidden_retrieval, values


@dataclass(frozen=True, slots=True)
class Sample:
    """Milliseconds by measure and stage in `values`. `day` is a date in UTC.

    `left_out`: the browser told, but nobody was waiting.
    """

    route: str
    model: str
    cached: bool
    failed: bool
    day: str
    values: Mapping[str, float]
    prompt_tokens: int
    painted: bool
    left_out: bool


def sample(record: Record, paint: Paint | None, rendered: Rendered | None, created: float) -> Sample:
    """`created` is in seconds since the epoch."""
    found = values(record, paint, rendered)
    if "server_ttft" in found:
        theirs = record.ms("upstream_ttft") + unhidden_retrieval(record)
        found["server_added_ttft"] = round(found["server_ttft"] - theirs, 2)
    return Sample(
        route=record.route,
        model=record.model,
        cached=record.cached,
        failed=bool(record.error),
        day=datetime.fromtimestamp(created, UTC).date().isoformat(),
        values=found,
        prompt_tokens=record.usage.prompt_tokens or sum(record.prompt.values()),
        painted=paint is not None and paint.counts,
        left_out=paint is not None and not paint.counts,
    )


def first_token(one: Sample) -> float | None:
    """As the browser saw it, else as the server did: to say of one turn, never to count together."""
    return one.values.get("ttft", one.values.get("server_ttft"))


BY: Mapping[str, Callable[[Sample], str]] = MappingProxyType(
    {
        "route": lambda turn: turn.route,
        "model": lambda turn: turn.model,
        "cached": lambda turn: "cached" if turn.cached else "fresh",
        "day": lambda turn: turn.day,
    }
)


def grouped(samples: Sequence[Sample], by: str) -> dict[str, list[Sample]]:
    """The turns by route, model, cached or day; the largest group first, but days from the newest."""
    groups: dict[str, list[Sample]] = {}
    for one in samples:
        groups.setdefault(BY[by](one), []).append(one)
    if by == "day":
        return dict(sorted(groups.items(), reverse=True))
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def slowest(samples: Sequence[Sample], most: int) -> list[int]:
    """Where the turns stand whose first token came last, the slowest first; what counts for nobody is not
    among them. Turns that no browser told of stand by the server's clock, and their waterfalls say so."""
    waited = (
        (wait, place)
        for place, one in enumerate(samples)
        if (wait := first_token(one)) is not None and not one.left_out
    )
    return [place for _, place in heapq.nlargest(most, waited)]
