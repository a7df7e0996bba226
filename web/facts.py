"""The line under an answer: what the turn took, and which way it went. Knows no HTML."""

from dataclasses import dataclass

from app.events import Failed, Finished, Routed
from app.measures import Paint

SHORTEST = 50.0  # milliseconds of writing below which a pace says nothing


@dataclass(frozen=True, slots=True)
class Facts:
    """Milliseconds, and tokens a second; None is what the turn did not come to. `seen`: the times are the
    browser's, from the key or click to the paint, and not the server's own."""

    seen: bool
    first_token: float | None
    total: float | None
    pace: float | None
    model: str
    route: str
    reason: str
    larger: str
    cached: bool | None
    cut: bool = False  # whether the answer came to its route's limit


def facts(end: Finished | Failed, routed: Routed | None, paint: Paint | None) -> Facts:
    seen = paint if paint is not None and paint.counts else None
    whole = end if isinstance(end, Finished) else None
    return Facts(
        seen=seen is not None,
        first_token=end.timings.get("ttft") if seen is None else seen.ttft,
        total=end.timings.get("total") if seen is None else seen.end,
        pace=None if whole is None else _pace(whole),
        model=whole.model if whole else routed.model if routed else "",
        route=whole.route if whole else routed.route if routed else "",
        reason=routed.reason if routed else "",
        larger=routed.larger if routed else "",
        cached=None if whole is None else whole.cached,
        cut=whole is not None and whole.reason == "length",
    )


def _pace(end: Finished) -> float | None:
    """Tokens a second while it wrote; the first of them was prefill's."""
    written, took = end.usage.completion_tokens - 1, end.timings.get("decode", 0.0)
    return 1_000 * written / took if written > 0 and took >= SHORTEST else None
