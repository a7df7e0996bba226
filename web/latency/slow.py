"""The slowest turns, each with its waterfall. Nobody learns whose they were or what was asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from app.measures import stages
from app.statistics import Sample, slowest
from app.store.measures import Measured
from web.charts import Bar, Mark, gantt
from web.latency.figures import milliseconds
from web.words import Words
from web.words_latency import name_of

SHOWN = 10


@dataclass(frozen=True, slots=True)
class Slow:
    """`href` leads to the conversation, for its owner alone; else it is empty."""

    when: str
    what: str
    ttft: str
    facts: tuple[str, ...]
    clock: str
    href: str
    waterfall: Markup


def slow_turns(turns: Sequence[Measured], samples: Sequence[Sample], words: Words) -> tuple[Slow, ...]:
    """`samples` are those of `turns`, in the same order."""
    return tuple(_slow(turns[place], samples[place], words) for place in slowest(samples, SHOWN))


def _slow(turn: Measured, one: Sample, words: Words) -> Slow:
    total = one.values.get("total")
    facts = [
        "" if total is None else f"{words('latency_total')} {milliseconds(total)}",
        words("latency_tokens", n=f"{one.prompt_tokens:,}") if one.prompt_tokens else "",
        words("latency_group_cached") if one.cached else "",
    ]
    return Slow(
        when=datetime.fromtimestamp(turn.created, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        what=" · ".join(filter(None, (one.route, one.model))),
        ttft=milliseconds(one.ttft or 0),
        facts=tuple(filter(None, facts)),
        clock=words("latency_from_submit" if one.painted else "latency_from_arrival"),
        href=f"/c/{turn.conversation}#t-{turn.turn}" if turn.mine else "",
        waterfall=_waterfall(turn, one, words),
    )


def _waterfall(turn: Measured, one: Sample, words: Words) -> Markup:
    found = stages(turn.record, turn.paint if one.painted else None)
    return gantt(
        [Bar(name_of(stage.name, words.language), stage.start, stage.ms, stage.side) for stage in found],
        [
            Mark(name_of(name, words.language), one.values[name])
            for name in ("ttfp", "ttfs", "ttft")
            if name in one.values
        ],
        title=words("latency_waterfall"),
        legend={side: words(f"latency_side_{side}") for side in dict.fromkeys(stage.side for stage in found)},
        empty=words("latency_no_data"),
    )
