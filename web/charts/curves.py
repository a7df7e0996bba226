"""Distribution curves: percentile against value, stretched towards the tail, where waits are felt."""

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from web.charts.looks import look
from web.charts.plot import Axis, Points, height_axis, nothing, plot
from web.charts.scales import percent_ticks, tidy, usable
from web.charts.svg import tag

DRAWN = 160  # points of a curve, however many samples it has


def curves(
    series: Mapping[str, Sequence[float]],
    *,
    unit: str = "ms",
    budget: float | None = None,
    title: str,
    empty: str = "–",
) -> Markup:
    """One curve a series: x is the percentile p on a log axis of 1/(1-p), as far as n carries, y the value.

    The k-th smallest of n values stands at p = (k - ½)/n (Hazen's plotting position). `empty` is said when
    there is no value at all; values that are not finite are left out.
    """
    found = {name: sorted(filter(usable, values)) for name, values in series.items()}
    longest = max(map(len, found.values()), default=0)
    if not longest:
        return nothing(title, empty, "curves")
    paths = {name: _path(values) for name, values in found.items()}
    x = _percentiles(2.0 * longest)
    y = height_axis(unit, [values[end] for values in found.values() if values for end in (0, -1)], budget)
    return plot(
        title,
        list(series),
        x,
        y,
        lambda across, upward: [
            tag("g", look(place).line([(across.at(x), upward.at(y)) for x, y in path]))
            for place, path in enumerate(paths.values())
            if path
        ],
        kind="curves",
        budget=None if budget is None else (budget, f"{tidy(budget)} {unit}"),
    )


def _path(values: list[float]) -> Points:
    """(1/(1-p), value), rising; thinned evenly along the axis on which it is drawn."""
    n = len(values)
    return [(1 / (1 - (k + 0.5) / n), values[k]) for k in _ranks(n)]


def _ranks(n: int) -> list[int]:
    if n <= DRAWN:
        return list(range(n))
    reach = math.log10(2 * n)
    shares = (1 - 10 ** (-reach * step / DRAWN) for step in range(DRAWN + 1))
    return sorted({min(n - 1, int(share * n)) for share in shares} | {0, n - 1})


def _percentiles(most: float) -> Axis:
    marks = [(1 / (1 - share), f"p{share * 100:g}") for share in percent_ticks(most)]
    return Axis("", 1.0, max(most, 2.0) * 1.02, marks, log=True)
