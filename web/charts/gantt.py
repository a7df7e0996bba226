"""The waterfall: one row a stage on one axis of milliseconds, so that what overlaps is seen to overlap."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from markupsafe import Markup

from web.charts.letters import LINE, fit, width_of
from web.charts.plot import axis, headline, nothing, ruler
from web.charts.scales import Scale, tidy, usable
from web.charts.svg import MARGIN, WIDTH, drawing, group, tag, words

ROW = 18
MOST_OF_LABELS = 128
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Bar:
    """A stage: `start` and `ms` in milliseconds; `kind` (browser, server, model, gap) becomes a class."""

    label: str
    start: float
    ms: float
    kind: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment, in milliseconds, such as the first painted token."""

    label: str
    at: float


def gantt(
    bars: Sequence[Bar],
    marks: Sequence[Mark],
    *,
    title: str,
    legend: Mapping[str, str] = _NONE,
    empty: str = "–",
) -> Markup:
    """`legend` says in words what each kind is. A bar whose start or length is not finite is a dash."""
    moments = [mark for mark in marks if usable(mark.at)]
    ends = [value for bar in bars if _whole(bar) for value in (bar.start, bar.start + bar.ms)]
    if not ends and not moments:
        return nothing(title, empty, "gantt")
    heading, top = headline(title)
    left = MARGIN + min(MOST_OF_LABELS, max((width_of(bar.label) for bar in bars), default=0)) + 8
    x = axis("ms", [*ends, *(mark.at for mark in moments)])
    across = x.scale(left, WIDTH - MARGIN - 10)
    lanes = _lanes(moments, across)
    start = top + LINE * (1 + max((lane for *_, lane in lanes), default=-1)) + 2
    bottom = start + ROW * len(bars) + 4
    parts = [*heading, *ruler(x, across, start, bottom, "ms")]
    parts += [_mark(*lane, top, bottom) for lane in lanes]
    parts += [_bar(bar, start + ROW * place, across) for place, bar in enumerate(bars)]
    key, tall = _legend(legend, bottom + LINE + 8)
    return drawing(title, bottom + LINE + 8 + tall, [*parts, group(key, class_="legend")], "gantt")


def _whole(bar: Bar) -> bool:
    return usable(bar.start) and usable(bar.ms)


def _bar(bar: Bar, y: float, across: Scale) -> Markup:
    label = words(fit(bar.label, across.start - MARGIN - 6), MARGIN, y + 13)
    if not _whole(bar):
        return group([label, words("–", across.start + 3, y + 13, class_="soft")])
    start, end = across.at(bar.start), across.at(bar.start + max(bar.ms, 0))
    shape = tag(
        "rect",
        x=start,
        y=y + 3,
        width=max(end - start, 1.5),
        height=ROW - 6,
        rx=2,
        class_=f"stage {_class(bar.kind)}",
    )
    return group([label, shape, _length(tidy(bar.ms), start, end, y + 13)])


def _length(said: str, start: float, end: float, y: float) -> Markup:
    """Right of the bar, or left of it, or, where neither has room, on it."""
    wide = width_of(said)
    if end + 4 + wide <= WIDTH - 2:
        return words(said, end + 4, y, class_="soft length")
    if start - 4 - wide >= MARGIN + MOST_OF_LABELS:
        return words(said, start - 4, y, anchor="end", class_="soft length")
    return words(said, end - 4, y, anchor="end", class_="on-bar length")


def _lanes(marks: Sequence[Mark], across: Scale) -> list[tuple[float, str, float, int]]:
    """Each mark's place, its words, where they begin, and the lowest lane in which they touch no others."""
    found: list[tuple[float, str, float, int]] = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        at, said = across.at(mark.at), fit(f"{mark.label} {tidy(mark.at)}", WIDTH - 2 * MARGIN)
        wide = width_of(said)
        left = max(MARGIN, min(at - wide / 2, WIDTH - MARGIN - wide))
        taken = {lane for _, other, begin, lane in found if begin + width_of(other) + 6 > left}
        found.append((at, said, left, next(lane for lane in range(len(found) + 1) if lane not in taken)))
    return found


def _mark(at: float, said: str, left: float, lane: int, top: float, bottom: float) -> Markup:
    y = top + LINE * lane
    line = tag("line", x1=at, x2=at, y1=y + LINE, y2=bottom, class_="mark")
    return group([line, words(said, left, y + 11, class_="mark-word")])


def _legend(kinds: Mapping[str, str], top: float) -> tuple[list[Markup], float]:
    drawn, x, y = [], float(MARGIN), top
    for kind, name in kinds.items():
        label = fit(name, WIDTH - 40)
        if x > MARGIN and x + 18 + width_of(label) > WIDTH - MARGIN:
            x, y = float(MARGIN), y + LINE + 2
        box = tag("rect", x=x, y=y + 3, width=14, height=9, rx=2, class_=f"stage {_class(kind)}")
        drawn.append(group([box, words(label, x + 18, y + 11)]))
        x += 18 + width_of(label) + 12
    return drawn, (y - top + LINE + 4) if kinds else 0


def _class(kind: str) -> str:
    return "kind-" + (re.sub(r"[^a-z0-9-]", "", kind.lower()) or "other")
