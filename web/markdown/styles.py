"""The style sheet of highlighted code: `python -m web.markdown.styles > web/static/code.css` writes it.

Only token colours: the page sets background and base colour, and marks its theme by `data-theme` on the
root. Of Pygments' styles these two have every colour at a contrast of 4.5 or more, on #f6f6f6 and #1c1c1e.
"""

from collections.abc import Iterator

from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

LIGHT, DARK = "xcode", "lightbulb"
HEAD = "/* Written by `python -m web.markdown.styles`; do not edit. */\n"


def style_sheet() -> str:
    system = _rules(DARK, ':root:not([data-theme="light"]) ')
    chosen = _rules(DARK, ':root[data-theme="dark"] ')
    return f"{HEAD}{_rules(LIGHT, '')}@media (prefers-color-scheme: dark) {{\n{system}}}\n{chosen}"


def _rules(style: str, scope: str) -> str:
    return "".join(f"{scope}.code .{name} {{ {rule} }}\n" for name, rule in _declarations(style))


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for kind, details in get_style_by_name(style):
        color, bold, italic = details["color"], details["bold"], details["italic"]
        rule = (
            f"color: #{color};" * bool(color) + " font-weight: bold;" * bold + " font-style: italic;" * italic
        )
        if rule and (name := STANDARD_TYPES.get(kind)):
            yield name, rule.strip()


if __name__ == "__main__":
    print(style_sheet(), end="")
