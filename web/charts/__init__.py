"""Charts as inline SVG, drawn on the server: pure functions from numbers and words to markup.

Own code on purpose: chart libraries write inline styles or scripts, which this application's
Content-Security-Policy forbids. A chart's looks are in web/static/charts.css. Everything that people read
comes in as arguments; these functions know no language, no request and no measure.
"""

from web.charts.curves import curves
from web.charts.gantt import Bar, Mark, gantt
from web.charts.intervals import Interval, intervals
from web.charts.lines import lines
from web.charts.scatter import scatter
from web.charts.standalone import standalone, style

__all__ = [
    "Bar",
    "Interval",
    "Mark",
    "curves",
    "gantt",
    "intervals",
    "lines",
    "scatter",
    "standalone",
    "style",
]
