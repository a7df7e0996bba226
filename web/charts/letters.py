"""How wide text will be, guessed without a font, and how to make it fit. Chinese letters are square."""

import re
from unicodedata import east_asian_width

SIZE = 11  # units of the viewBox; charts.css says the same
LINE = 14
_PIECE = re.compile(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+")
_SQUARE, _NARROW = 1.0, 0.62  # in ems; the narrow ones on the generous side


def width_of(content: str, size: float = SIZE) -> float:
    return size * sum(map(_ems, content))


def fit(content: str, room: float) -> str:
    """The text, cut with an ellipsis where it would outgrow `room`."""
    content = " ".join(content.split())
    if width_of(content) <= room:
        return content
    while content and width_of(content + "…") > room:
        content = content[: min(len(content) - 1, int(room / SIZE / 0.5))]
    return content.rstrip() + "…"


def wrapped(content: str, room: float, most: int = 2) -> list[str]:
    """At most `most` lines; breaks at spaces, and between Chinese letters anywhere."""
    lines = [""]
    for piece in _pieces(" ".join(content.split())):
        if lines[-1] and width_of(lines[-1] + piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    kept, rest = lines[: most - 1], lines[most - 1 :]
    return [line for line in [*(fit(line, room) for line in kept), fit("".join(rest), room)] if line]


def _pieces(content: str) -> list[str]:
    """The least parts that stay together: words with their space, and single Chinese letters."""
    return _PIECE.findall(content)


def _ems(letter: str) -> float:
    return _SQUARE if east_asian_width(letter) in "WF" else _NARROW
