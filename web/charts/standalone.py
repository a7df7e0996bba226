"""The charts' looks for where there is no application around: self-contained pages and SVG files."""

import re
from functools import cache
from pathlib import Path

from markupsafe import Markup

from web.charts.svg import WIDTH, tag

CSS = Path(__file__).parent.parent / "static" / "charts.css"
_OPENING = re.compile(r'(<svg [^>]*viewBox="0 0 (\d+) ([\d.]+)"[^>]*>)(<title>.*?</title>)', re.DOTALL)


@cache
def style() -> str:
    """The text of charts.css."""
    return CSS.read_text(encoding="utf-8")


def standalone(svg: Markup) -> str:
    """A whole .svg file: the chart with its CSS inside, on its own paper, twice as large as its viewBox."""
    found = _OPENING.match(svg)
    if found is None:
        raise ValueError("standalone takes what curves, scatter, lines, intervals or gantt returned")
    opening, wide, tall, title = found.groups()
    sized = opening.replace("<svg ", f'<svg width="{2 * int(wide)}" height="{2 * float(tall):g}" ', 1)
    paper = tag("rect", width=WIDTH, height=float(tall), class_="paper")
    return f"{sized}{title}<style>{style()}</style>{paper}{svg[found.end() :]}\n"
