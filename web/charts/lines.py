"""Lines: points joined in the order of x, for what changes along a length, a load or the days."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from web.charts.looks import look
from web.charts.plot import Points, axis, finite, nothing, plot
from web.charts.scales import Scale

MARKED = 40  # points; more of them and the marks hide the line


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x: str,
    y: str,
    title: str,
    log: bool = False,
    empty: str = "–",
) -> Markup:
    """`x` and `y` label the axes, with their units; `log` makes both logarithmic, where only what is above
    zero can be drawn."""
    found = {name: sorted(finite(points, log=log)) for name, points in series.items()}
    points = [point for group in found.values() for point in group]
    if not points:
        return nothing(title, empty, "lines")
    return plot(
        title,
        list(series),
        axis(x, [point[0] for point in points], zero=False, log=log),
        axis(y, [point[1] for point in points], log=log),
        lambda across, upward: [
            mark
            for place, group in enumerate(found.values())
            if group
            for mark in _line(place, group, across, upward)
        ],
        kind="lines",
    )


def _line(place: int, points: Points, across: Scale, upward: Scale) -> list[Markup]:
    there = [(across.at(x), upward.at(y)) for x, y in points]
    marks = [look(place).dots(there)] if len(there) <= MARKED else []
    return [look(place).line(there), *marks]
