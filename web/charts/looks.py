"""How series differ from each other: colour by class, and, for whoever sees none, dashes and shapes."""

from dataclasses import dataclass

from markupsafe import Markup

from web.charts.letters import LINE, fit, width_of
from web.charts.svg import MARGIN, WIDTH, number, tag, words

COLOURS = 6  # as many classes as charts.css has
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4")
_SHAPES = (
    "h0",
    "m-2.2-2.2l4.4 4.4m0-4.4l-4.4 4.4",
    "m0-3l2.8 5h-5.6z",
    "m-2.3-2.3h4.6v4.6h-4.6z",
    "m-3 0h6m-3-3v6",
    "m0-3.2l3 3.2l-3 3.2l-3-3.2z",
)
_SAMPLE = 22


@dataclass(frozen=True, slots=True)
class Look:
    colour: str
    dash: str
    shape: str

    def line(self, points: list[tuple[float, float]]) -> Markup:
        """A path through the points; one point is a dot."""
        if len(points) == 1:
            return self.dots(points)
        way = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        dash = {"stroke_dasharray": self.dash} if self.dash else {}
        return tag("path", d=way, fill="none", class_=f"line {self.colour}", **dash)

    def dots(self, points: list[tuple[float, float]]) -> Markup:
        """All in one path, for thousands of elements would be slow to lay out."""
        way = "".join(f"M{number(x)} {number(y)}{self.shape}" for x, y in points)
        kind = "dot" if self.shape == "h0" else "shape"
        return tag("path", d=way, fill="none", class_=f"{kind} {self.colour}")


def look(place: int) -> Look:
    """The look of the series at `place`; 36 different ones before they repeat."""
    turn = place + place // COLOURS
    return Look(f"series-{place % COLOURS}", _DASHES[turn % len(_DASHES)], _SHAPES[turn % len(_SHAPES)])


def legend(names: list[str], top: float, *, dots: bool = False) -> tuple[list[Markup], float]:
    """The series by name, in as many rows as they need, and the height of that."""
    drawn, x, y = [], float(MARGIN), top
    for place, name in enumerate(names):
        label = fit(name, WIDTH - 2 * MARGIN - _SAMPLE - 4)
        wide = _SAMPLE + 4 + width_of(label)
        if x > MARGIN and x + wide > WIDTH - MARGIN:
            x, y = float(MARGIN), y + LINE + 2
        drawn += [_sample(look(place), x, y + LINE / 2, dots), words(label, x + _SAMPLE + 4, y + 11)]
        x += wide + 12
    return drawn, (y - top + LINE + 4) if names else 0


def _sample(style: Look, x: float, y: float, dots: bool) -> Markup:
    return style.dots([(x + _SAMPLE / 2, y)]) if dots else style.line([(x, y), (x + _SAMPLE, y)])
