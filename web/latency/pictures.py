"""The page's charts, from samples and words to SVG."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from markupsafe import Markup

from app.measures import BUDGETS
from app.statistics import Sample, clock_of, grouped, percentiles
from web.charts import curves, lines, scatter
from web.words import Words
from web.words_latency import name_of

DRAWN = 2_000  # turns, one mark each
SERIES = 5  # more of them cannot be told apart

Point = tuple[float, float]


def distributions(
    samples: Sequence[Sample], groups: Mapping[str, Sequence[Sample]], words: Words
) -> tuple[Markup, ...]:
    """A curve of each measure that has a budget, with its line, for each of the largest groups."""
    shown = dict(list(groups.items())[:SERIES]) if len(groups) > 1 else {words("latency_all"): samples}
    return tuple(
        curves(
            {name: _having(group, measure) for name, group in shown.items() if _having(group, measure)},
            budget=limit,
            title=name_of(measure, words.language),
            empty=words("latency_no_data"),
        )
        for measure, limit in BUDGETS.items()
    )


def phases(samples: Sequence[Sample], words: Words) -> tuple[Markup, ...]:
    """Prefill against decode, first token against prompt length, and the first token by day."""
    latest = samples[:DRAWN]
    clock = clock_of(samples)
    return _prefill_and_decode(latest, words), _prompts(latest, words, clock), _days(samples, words, clock)


def _prefill_and_decode(samples: Sequence[Sample], words: Words) -> Markup:
    having = [one for one in samples if {"upstream_ttft", "decode"} <= one.values.keys()]
    return scatter(
        _by_model(having, lambda one: (one.values["upstream_ttft"], one.values["decode"])),
        x=words("latency_axis_prefill"),
        y=words("latency_axis_decode"),
        title=words("latency_phases_chart"),
        empty=words("latency_no_data"),
    )


def _prompts(samples: Sequence[Sample], words: Words, clock: str) -> Markup:
    """What came out of a cache read no prompt."""
    measure = f"{clock}ttft"
    having = [one for one in samples if measure in one.values and not one.cached and one.prompt_tokens]
    return scatter(
        _by_model(having, lambda one: (one.prompt_tokens, one.values[measure])),
        x=words("latency_axis_prompt"),
        y=words("latency_axis_ttft"),
        title=words("latency_prompt_chart") + _whose(clock, words),
        budget=BUDGETS["ttft"],
        empty=words("latency_no_data"),
    )


def _days(samples: Sequence[Sample], words: Words, clock: str) -> Markup:
    found: dict[str, list[tuple[float, float]]] = {"p50": [], "p95": [], "p99": []}
    for day, group in grouped(samples, "day").items():
        if figures := percentiles(_having(group, f"{clock}ttft")):
            ago = (date.fromisoformat(day) - datetime.now(UTC).date()).days
            for name, points in found.items():
                points.append((ago, getattr(figures, name)))
    return lines(
        found,
        x=words("latency_axis_days"),
        y=words("latency_axis_ttft"),
        title=words("latency_days_chart") + _whose(clock, words),
        empty=words("latency_no_data"),
    )


def _whose(clock: str, words: Words) -> str:
    return f" ({words('side_server')})" if clock else ""


def _by_model(samples: Iterable[Sample], point: Callable[[Sample], Point]) -> dict[str, list[Point]]:
    return {model: [point(one) for one in group] for model, group in grouped(list(samples), "model").items()}


def _having(samples: Iterable[Sample], measure: str) -> list[float]:
    return [one.values[measure] for one in samples if measure in one.values]
