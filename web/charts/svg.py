"""SVG elements as safe markup: escaped, well-formed whatever text comes in, without styles or scripts."""

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

WIDTH = 360  # of every chart's viewBox: about a telephone's, so that text keeps its size there
MARGIN = 6
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(content: str) -> str:
    """The text without what XML 1.0 has no way to write: control characters, lone surrogates."""
    return _NOT_XML.sub("", content)


def tag(name: str, *children: str, **attributes: str | float) -> Markup:
    """`tag("line", x1=0, class_="grid", stroke_width=2)`: a trailing underscore goes, others are hyphens."""
    written = Markup("").join(
        Markup(' {}="{}"').format(_attribute(key), _value(value)) for key, value in attributes.items()
    )
    if not children:
        return Markup("<{}{}/>").format(name, written)
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, Markup("").join(map(_child, children)))


def group(children: Iterable[str], **attributes: str | float) -> Markup:
    return tag("g", *children, **attributes)


def words(content: str, x: float, y: float, *, anchor: str = "start", class_: str = "word") -> Markup:
    """A line of text whose baseline is at `y`."""
    return tag("text", content or " ", x=x, y=y, text_anchor=anchor, class_=class_)


def number(value: float) -> str:
    """A coordinate to a tenth of a unit, as short as it can be written."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.0", "0")


def drawing(title: str, height: float, children: Iterable[str], kind: str) -> Markup:
    """A whole chart; its title is its name for whoever does not see it."""
    return tag(
        "svg",
        tag("title", title or " "),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=f"chart {kind}",
        viewBox=f"0 0 {WIDTH} {number(height)}",
        role="img",
    )


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _value(value: str | float) -> str:
    return clean(value) if isinstance(value, str) else number(value)


def _child(child: str) -> Markup:
    return child if isinstance(child, Markup) else escape(clean(child))
