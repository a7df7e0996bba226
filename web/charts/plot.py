"""The frame that curves, scatter and lines share: title, axes, budget and legend around what they draw."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.charts.letters import LINE, fit, width_of, wrapped
from web.charts.looks import legend
from web.charts.scales import Scale, reach, reach_log, ticks, ticks_log, tidy, usable
from web.charts.svg import MARGIN, WIDTH, drawing, group, tag, words

HEIGHT = 170  # of what lies between the axes
EMPTY_HEIGHT = 60
FAR = 1.6  # a budget that many times beyond the data would flatten it: it is named at the edge instead

Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axis:
    """`ticks` are values with their words."""

    label: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    log: bool = False

    def scale(self, start: float, end: float) -> Scale:
        return Scale(self.low, self.high, start, end, self.log)


def axis(label: str, values: Iterable[float], *, zero: bool = True, log: bool = False) -> Axis:
    low, high = reach_log(values) if log else reach(values, zero=zero)
    found = ticks_log(low, high) if log else ticks(low, high)
    return Axis(label, low, high, [(value, tidy(value)) for value in found], log)


def height_axis(label: str, values: Sequence[float], budget: float | None, *, log: bool = False) -> Axis:
    """The vertical axis; the budget is on it unless it is far beyond everything."""
    near = budget is not None and usable(budget) and budget <= FAR * max(values)
    return axis(label, [*values, budget] if near and budget is not None else values, log=log)


def plot(
    title: str,
    names: list[str],
    x: Axis,
    y: Axis,
    draw: Callable[[Scale, Scale], Iterable[Markup]],
    *,
    kind: str,
    budget: tuple[float, str] | None = None,
    dots: bool = False,
) -> Markup:
    heading, top = headline(title)
    top += LINE + 6 if y.label else 6
    left = MARGIN + max((width_of(label) for _, label in y.ticks), default=0) + 5
    across, upward = x.scale(left, WIDTH - MARGIN - 8), y.scale(top + HEIGHT, top)
    bottom = top + HEIGHT + LINE + 2 + (LINE if x.label else 0) + 4
    key, tall = legend(names, bottom, dots=dots)
    parts = [*heading, *_grid(x, y, across, upward), *draw(across, upward), *_budget(budget, across, upward)]
    return drawing(title, bottom + tall, [*parts, group(key, class_="legend")], kind)


def nothing(title: str, empty: str, kind: str) -> Markup:
    """What stands where there is nothing to draw."""
    heading, top = headline(title)
    word = words(fit(empty, WIDTH - 2 * MARGIN), WIDTH / 2, top + 34, anchor="middle", class_="soft")
    return drawing(title, top + EMPTY_HEIGHT, [*heading, word], kind)


def headline(title: str) -> tuple[list[Markup], float]:
    """The title in one or two lines, and where what follows begins."""
    found = wrapped(title, (WIDTH - 2 * MARGIN) * 0.95)
    drawn = [words(line, MARGIN, LINE * (place + 1), class_="headline") for place, line in enumerate(found)]
    return drawn, LINE * len(found) + 6.0


def finite(points: Iterable[tuple[float, float]], *, log: bool = False) -> Points:
    """The points that can be drawn: on logarithmic axes only what is above zero."""
    return [(x, y) for x, y in points if usable(x) and usable(y) and (not log or min(x, y) > 1e-15)]


def ruler(x: Axis, across: Scale, top: float, bottom: float, unit: str) -> Iterable[Markup]:
    """Upright lines with their values beneath, for charts of rows; the last value has the unit."""
    free = WIDTH + 0.0
    for place, (value, label) in reversed(list(enumerate(x.ticks))):
        said = f"{label} {unit}" if place == len(x.ticks) - 1 else label
        at, half = across.at(value), width_of(said) / 2
        middle = min(at, WIDTH - half - 2)
        yield tag("line", x1=at, x2=at, y1=top, y2=bottom, class_="grid")
        if middle + half <= free:  # else it would touch the one at its right
            yield words(said, middle, bottom + LINE, anchor="middle", class_="soft")
            free = middle - half - 2


def _grid(x: Axis, y: Axis, across: Scale, upward: Scale) -> Iterable[Markup]:
    for value, label in y.ticks:
        at = upward.at(value)
        yield tag("line", x1=across.start, x2=across.end, y1=at, y2=at, class_="grid")
        yield words(label, across.start - 5, at + 4, anchor="end", class_="soft")
    taken = 0.0
    for value, label in x.ticks:
        at, half = across.at(value), width_of(label) / 2
        middle = min(at, WIDTH - half - 2)
        yield tag("line", x1=at, x2=at, y1=upward.start, y2=upward.start + 3, class_="tick")
        if middle - half > taken:  # else it would touch the label before
            yield words(label, middle, upward.start + LINE, anchor="middle", class_="soft")
            taken = middle + half + 2
    yield tag("line", x1=across.start, x2=across.end, y1=upward.start, y2=upward.start, class_="tick")
    if y.label:
        yield words(fit(y.label, WIDTH - 2 * MARGIN), MARGIN, upward.end - 11, class_="soft")
    if x.label:
        label = fit(x.label, across.end - MARGIN)
        yield words(label, across.end, upward.start + 2 * LINE, anchor="end", class_="soft")


def _budget(budget: tuple[float, str] | None, across: Scale, upward: Scale) -> Iterable[Markup]:
    if budget is None or not usable(budget[0]):
        return
    value, label = budget
    beyond = value > upward.high
    at = upward.end if beyond else upward.at(max(value, upward.low))
    if not beyond:
        yield tag("line", x1=across.start, x2=across.end, y1=at, y2=at, class_="budget")
    said = f"≤ {label} ↑" if beyond else f"≤ {label}"
    below = beyond or at - upward.end < LINE
    yield words(said, across.start + 4, at + 11 if below else at - 3, class_="budget-word")
