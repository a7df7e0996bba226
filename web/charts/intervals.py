"""Intervals: a value and how far it is uncertain, one row each, over a common axis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.charts.letters import LINE, fit, width_of
from web.charts.plot import axis, headline, nothing, ruler
from web.charts.scales import Scale, tidy, usable
from web.charts.svg import MARGIN, WIDTH, drawing, tag, words

ROW = 34


@dataclass(frozen=True, slots=True)
class Interval:
    """`mid` lies between `low` and `high`, such as a percentile within its bootstrap interval."""

    name: str
    low: float
    mid: float
    high: float
    budget: float | None = None


def intervals(rows: Sequence[Interval], *, unit: str = "ms", title: str, empty: str = "–") -> Markup:
    """A row with a value that is not finite says its name and a dash."""
    ends = [value for row in rows for value in _values(row)]
    if not ends:
        return nothing(title, empty, "intervals")
    heading, top = headline(title)
    x = axis("", ends)
    across, bottom = x.scale(MARGIN + 4, WIDTH - MARGIN - 14), top + ROW * len(rows)
    drawn = [part for place, row in enumerate(rows) for part in _row(row, top + ROW * place, across, unit)]
    return drawing(
        title, bottom + LINE + 8, [*heading, *ruler(x, across, top, bottom, unit), *drawn], "intervals"
    )


def _values(row: Interval) -> list[float]:
    """Those that the axis must hold; none of a row that is not whole."""
    budget = [] if row.budget is None or not usable(row.budget) else [row.budget]
    whole = [row.low, row.mid, row.high]
    return [*whole, *budget] if all(map(usable, whole)) else []


def _row(row: Interval, top: float, across: Scale, unit: str) -> Iterable[Markup]:
    values = _values(row)
    said = f"{tidy(row.mid)} [{tidy(row.low)}, {tidy(row.high)}] {unit}" if values else "–"
    broken = "bad" if values and row.budget is not None and row.mid > row.budget else "soft"
    yield words(fit(row.name, WIDTH - 3 * MARGIN - width_of(said)), MARGIN, top + 11)
    yield words(said, WIDTH - MARGIN, top + 11, anchor="end", class_=broken)
    if values:
        yield from _whisker(row, top + 22, across)


def _whisker(row: Interval, y: float, across: Scale) -> Iterable[Markup]:
    low, high, mid = (across.at(value) for value in (row.low, row.high, row.mid))
    yield tag("line", x1=low, x2=high, y1=y, y2=y, class_="whisker series-0")
    for end in (low, high):
        yield tag("line", x1=end, x2=end, y1=y - 4, y2=y + 4, class_="tick series-0")
    yield tag("circle", cx=mid, cy=y, r=3.5, class_="point series-0")
    if row.budget is not None and usable(row.budget):
        at = across.at(row.budget)
        yield tag("line", x1=at, x2=at, y1=y - 8, y2=y + 8, class_="budget")
