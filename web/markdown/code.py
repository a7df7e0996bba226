"""Fenced code: Pygments spans with classes, never inline styles.

`python -m web.markdown.code > web/static/code.css` writes the style sheet that goes with them.
"""

from functools import lru_cache
from html import escape

from pygments import highlight as pygmentize
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LIMIT_LINES = 400  # 60 to 90 ms; longer code stays plain
LIMIT_CHARACTERS = 20_000
LIGHT, DARK = "default", "github-dark"

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


def style_sheet() -> str:
    """Token colours for light and dark; the page sets background and base colour."""
    dark = _rules(DARK)
    system = _scoped(dark, ':root:not([data-theme="light"]) ')
    chosen = _scoped(dark, ':root[data-theme="dark"] ')
    head = "/* Written by `python -m web.markdown.code`; do not edit. */\n"
    light = _scoped(_rules(LIGHT), "")
    return f"{head}{light}@media (prefers-color-scheme: dark) {{\n{system}}}\n{chosen}"


def _rules(style: str) -> list[str]:
    lines = HtmlFormatter(style=style).get_style_defs(".code").splitlines()
    tokens = (line.partition(" /*")[0] for line in lines if line.startswith(".code ."))
    return [line for line in tokens if ".hll" not in line]


def _scoped(rules: list[str], scope: str) -> str:
    return "".join(f"{scope}{rule}\n" for rule in rules)


if __name__ == "__main__":
    print(style_sheet(), end="")
