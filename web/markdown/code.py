"""Fenced code: Pygments spans with classes, never inline styles. Their colours: `styles`."""

from functools import lru_cache
from html import escape

from pygments import highlight as pygmentize
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LIMIT_LINES = 400  # 60 to 90 ms; longer code stays plain
LIMIT_CHARACTERS = 20_000

_formatter: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


@lru_cache(maxsize=128)
def highlight(code: str, language: str) -> str:
    """The code as HTML; escaped only, if the language is unknown or the code is long."""
    if len(code) > LIMIT_CHARACTERS or code.count("\n") > LIMIT_LINES:
        return escape(code, quote=False)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code, quote=False)
    return pygmentize(code, lexer, _formatter)
