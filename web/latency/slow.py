"""The slowest turns, each with its waterfall. Nobody learns whose they were or what was asked."""

from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from app.statistics import Sample, first_token
from app.store.measures import Measured
from web.latency.figures import milliseconds
from web.waterfall import waterfall
from web.words import Words


@dataclass(frozen=True, slots=True)
class Slow:
    """`href` leads to the conversation, for its owner alone; else it is empty."""

    when: str
    what: str
    ttft: str
    facts: tuple[str, ...]
    notes: tuple[str, ...]
    href: str
    chart: Markup


def slow_turn(turn: Measured, one: Sample, words: Words) -> Slow:
    total, drawn = one.values.get("total", one.values.get("server_total")), waterfall(turn, words)
    facts = [
        "" if total is None else f"{words('latency_total')} {milliseconds(total)}",
        words("latency_tokens", n=f"{one.prompt_tokens:,}") if one.prompt_tokens else "",
        words("latency_group_cached") if one.cached else "",
    ]
    return Slow(
        when=datetime.fromtimestamp(turn.created, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        what=" · ".join(filter(None, (one.route, one.model))),
        ttft=milliseconds(first_token(one) or 0),
        facts=tuple(filter(None, facts)),
        notes=drawn.notes,
        href=f"/c/{turn.conversation}#t-{turn.turn}" if turn.mine else "",
        chart=drawn.chart,
    )
