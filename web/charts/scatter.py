"""Scatter: one mark a pair of values, with a shape of its own for each series."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from web.charts.looks import look
from web.charts.plot import Points, axis, finite, height_axis, nothing, plot
from web.charts.scales import Scale, tidy


def scatter(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x: str,
    y: str,
    title: str,
    budget: float | None = None,
    empty: str = "–",
) -> Markup:
    """`x` and `y` label the axes, with their units; `budget` is a line across, in y's unit."""
    found = {name: finite(points) for name, points in series.items()}
    points = [point for group in found.values() for point in group]
    if not points:
        return nothing(title, empty, "scatter")
    return plot(
        title,
        list(series),
        axis(x, [point[0] for point in points]),
        height_axis(y, [point[1] for point in points], budget),
        lambda across, upward: [
            look(place).dots(_apart(group, across, upward))
            for place, group in enumerate(found.values())
            if group
        ],
        kind="scatter",
        budget=None if budget is None else (budget, tidy(budget)),
        dots=True,
    )


def _apart(points: Points, across: Scale, upward: Scale) -> Points:
    """One of those that would be drawn on the same spot: thousands of turns stay a small picture."""
    return list(dict.fromkeys((round(across.at(x)), round(upward.at(y))) for x, y in points))
