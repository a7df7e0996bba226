"""LaTeX to MathML. What cannot be converted, or is too long, stays the source that was typed."""

from functools import lru_cache
from html import escape, unescape
from typing import Literal
from xml.etree.ElementTree import tostring

from latex2mathml.converter import Converter

from .safety import clean

LIMIT = 1_000  # characters; conversion time grows with them
DEPTH = 30  # nested groups; deeper ones are an attack on the stack

Display = Literal["inline", "block"]


def source(latex: str) -> str:
    """The unconverted formula as HTML."""
    return f'<code class="math-source">{escape(latex, quote=False)}</code>'


@lru_cache(maxsize=1_024)
def formula(latex: str, display: Display) -> str:
    """One formula as clean MathML."""
    if len(latex) > LIMIT or _depth(latex) > DEPTH:
        return source(latex)
    try:
        return _convert(latex, display)
    except Exception:  # the converter raises whatever its walk meets: IndexError, KeyError, its own
        return source(latex)


def _depth(latex: str) -> int:
    depth = deepest = 0
    for char in latex:
        depth += (char in "{[(^_") - (char in "}])")
        deepest = max(deepest, depth)
    return deepest


def _convert(latex: str, display: Display) -> str:
    root = Converter(display=display).convert_to_element(latex)
    for element in root.iter():
        # The converter writes entities into its texts and would unescape the whole document, tags included.
        element.text = unescape(element.text or "")
        element.tail = None
    return clean(tostring(root, encoding="unicode", short_empty_elements=False))
