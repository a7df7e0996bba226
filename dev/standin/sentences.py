"""A passage as quotable units: sentences, list items, table rows and code, each under its heading.

Reads plain text and markdown alike. It knows how text is written down, not what it is about.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# A full stop after these, after one capital, or before a small letter ends no sentence.
_SHORT = (
    "[A-Z] Mr Mrs Ms Dr Prof St Sr Jr vs etc e\\.g i\\.e cf No Nos Vol Fig pp? ca approx Inc Ltd Co Gen Col "
    "Lt Sgt Rev Hon U\\.S U\\.K a\\.m p\\.m Jan Feb Mar Apr Jun Jul Aug Sept? Oct Nov Dec"
)
_SHORT_END = re.compile(rf"\b(?:{_SHORT.replace(' ', '|')})\.$")
_END = re.compile(r"[。！？]+[”’」』）)]*|[.!?]+[\"'”’)\]]*(?=\s|$)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(.*)$")
_RULE = re.compile(r"\s*(?:\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?|[=*_-]{3,})\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to quote, verbatim but for the marks of its block; code keeps its fence."""

    text: str
    kind: str = "sentence"  # sentence, item, row, code
    heading: str = ""


@dataclass(slots=True)
class _Reader:
    """Collects the lines of a block until something else begins."""

    heading: str = ""
    kind: str = "sentence"
    lines: list[str] = field(default_factory=list)

    def flush(self) -> Iterator[Unit]:
        text, kind = "\n".join(self.lines).strip(), self.kind
        self.lines, self.kind = [], "sentence"
        if kind == "code":
            yield Unit(text, kind, self.heading)
        elif text:
            joined = _join(text)
            for part in [joined] if kind == "row" else split(joined):
                yield Unit(part, kind, self.heading)


def units(text: str) -> list[Unit]:
    """The passage's units in order; headings name what stands under them and are no units."""
    return list(_read(text.splitlines()))


def split(text: str) -> list[str]:
    """A paragraph's sentences, English and Chinese, in order."""
    found, start = [], 0
    for end in _END.finditer(text):
        if _goes_on(text, start, end):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    return [sentence for sentence in [*found, text[start:].strip()] if sentence]


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    if end[0] != ".":
        return False
    follows = text[end.end() :].lstrip()[:1]
    return follows.islower() or _SHORT_END.search(text[start : end.end()]) is not None


def _read(lines: list[str]) -> Iterator[Unit]:
    reader, fence = _Reader(), ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            reader.lines.append(line)
            if mark and mark[1].startswith(fence):
                fence = ""
                yield from reader.flush()
        elif mark:
            yield from reader.flush()
            fence, reader.kind, reader.lines = mark[1], "code", [line.strip()]
        else:
            yield from _line(reader, line)
    if fence:
        reader.lines.append(fence)  # the passage was cut inside the code
    yield from reader.flush()


def _line(reader: _Reader, line: str) -> Iterator[Unit]:
    heading, item, row = _HEADING.match(line), _ITEM.match(line), line.lstrip().startswith("|")
    if row and _RULE.match(line) and reader.kind == "row":
        reader.lines = []  # what stands above was the table's head, which says nothing by itself
    if heading or item or row or not line.strip() or _RULE.match(line):
        yield from reader.flush()
    if heading:
        reader.heading = heading[1]
    elif item:
        reader.kind, reader.lines = "item", [item[1]]
    elif row and not _RULE.match(line):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        reader.kind, reader.lines = "row", [" · ".join(cells)]
    elif line.strip() and not _RULE.match(line):
        reader.lines.append(line.strip().removeprefix("> "))


def _join(text: str) -> str:
    """Wrapped lines as one; between two Chinese characters a line's end is no space."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[\u3000-\u9fff])\s*\n\s*(?=[\u3000-\u9fff])", "", text))
