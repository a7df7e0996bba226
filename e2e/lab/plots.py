"""The studies' plots: TTFT and time per output token never on one bar. Knows no files."""

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from e2e.lab.asking import Answer
from e2e.lab.studies.cap import CAPS, NEXT
from e2e.lab.study import Rows, Spread, total, tpot, ttft
from e2e.lab.words import Words
from web.charts import Interval, intervals, lines

Measure = Callable[[Sequence[Answer]], Spread]


def plots(study: str, rows: Rows, words: Words) -> Mapping[str, Markup]:
    """By name, which is the study's for the first."""
    return {name: draw(rows, words) for name, draw in PLOTS.get(study, {}).items()}


def _length(rows: Rows, words: Words) -> Markup:
    x, y = words.length_axes
    return lines(
        {words.prefill: _against_prompt(rows, ttft), words.decode: _against_prompt(rows, tpot)},
        x=x, y=y, title=words.titles["length"], log=True,
    )


def _against_prompt(rows: Rows, measure: Measure) -> list[tuple[float, float]]:
    return [(answers[0].prompt_tokens, measure(answers).p50) for answers in rows.values()]


def _cap(rows: Rows, words: Words) -> Markup:
    x, y = words.cap_axes
    series = {
        words.total: [(float(cap), total(rows[str(cap)]).p50) for cap in CAPS],
        words.then: [(float(cap), ttft(rows[f"{cap} {NEXT}"]).p50) for cap in CAPS],
    }
    return lines(series, x=x, y=y, title=words.titles["cap"])


def _bars(study: str, title: str, measure: Measure) -> Callable[[Rows, Words], Markup]:
    def draw(rows: Rows, words: Words) -> Markup:
        found = {words.variant(study, key): measure(answers) for key, answers in rows.items()}
        bars = [Interval(name, each.least, each.p50, each.most) for name, each in found.items()]
        return intervals(bars, title=words.titles[title])

    return draw


PLOTS: Mapping[str, Mapping[str, Callable[[Rows, Words], Markup]]] = {
    "length": {"length": _length},
    "prefix": {"prefix": _bars("prefix", "prefix", ttft)},
    "passages": {"passages": _bars("passages", "passages", ttft)},
    "streams": {"streams": _bars("streams", "streams", ttft),
                "streams-decode": _bars("streams", "streams-decode", tpot)},
    "cap": {"cap": _cap},
    "leaving": {"leaving": _bars("leaving", "leaving", ttft)},
}
