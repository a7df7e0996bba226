"""Where one turn's time went, as its reader sees it: bars on one clock, and what the model had to read.

Knows no request and no template; the picture is web.charts'.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.events import Prompted, Usage
from app.measures import Paint, Record, Stage, stages
from app.store import Measured
from web.charts import Bar, Mark, gantt
from web.words import Words
from web.words_measures import stage

MARKS = ("ttfp", "ttfs", "ttft")


@dataclass(frozen=True, slots=True)
class Row:
    """A stage in words and figures, for whoever cannot see the bars; `start` and `ms` in milliseconds."""

    name: str
    help: str
    side: str
    start: float
    ms: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    """`notes` say whose clock it is, and why its times are nobody's wait where they are not."""

    chart: Markup
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    prompt: Prompted | None
    usage: Usage


def waterfall(measured: Measured, words: Words) -> Waterfall:
    record, paint = measured.record, measured.paint
    found = stages(record, paint, measured.rendered)
    return Waterfall(
        chart=_chart(found, _marks(record, paint, words), words),
        rows=tuple(_row(each, words) for each in found),
        notes=tuple(words(f"waterfall_{key}") for key in _notes(paint)),
        prompt=Prompted(record.prompt, record.prefix) if record.prompt else None,
        usage=record.usage,
    )


def _chart(found: Sequence[Stage], marks: Sequence[Mark], words: Words) -> Markup:
    return gantt(
        [Bar(stage(each.name, words.language)[0], each.start, each.ms, each.side) for each in found],
        marks,
        title=words("waterfall"),
        legend={side: words(f"side_{side}") for side in dict.fromkeys(each.side for each in found)},
        empty=words("waterfall_none"),
    )


def _marks(record: Record, paint: Paint | None, words: Words) -> list[Mark]:
    """What was painted; before a browser has told, when the first text left the model."""
    if paint is None:
        first = record.timings.get("ttft")
        return [] if first is None else [Mark(words("waterfall_first_text"), first)]
    times = {name: getattr(paint, name) for name in MARKS}
    return [Mark(stage(name, words.language)[0], at) for name, at in times.items() if at is not None]


def _row(each: Stage, words: Words) -> Row:
    name, meaning = stage(each.name, words.language)
    return Row(name, meaning, each.side, each.start, each.ms)


def _notes(paint: Paint | None) -> list[str]:
    if paint is None:
        return ["arrival"]
    return ["submit", *(name for name in ("hidden", "resumed") if getattr(paint, name))]
