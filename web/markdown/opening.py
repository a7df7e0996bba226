"""Mending of the open block by lines: what the next character will decide is hidden until then.

Knows the lines of one open block; what is half typed inside a line is `mending`'s.
"""

import re

from markdown_it.rules_block.table import escapedSplit

BULLETS = r"(?:(?:[-+*>]|\d{1,9}[.)]|\[[ xX]\])[ \t]*)*"
MARKS = re.compile(rf"[ \t]*{BULLETS}(?:[-+*_=#`~|:. \t]*|\d{{1,3}}[.)]?[ \t]*|(?:`{{3}}|~{{3}}).*)\Z")
LONGEST_MARKS = 120
TABLE = re.compile(r" {0,3}\|")
DELIMITERS = re.compile(r"[ \t|:\-]*\Z")
PROSE = re.compile(r"[^\W\d_]|\*{1,2}[^\s*]|`[^`]|[\"'“‘「『《（(]")


def decided(text: str) -> str:
    """The open text without a last line that is only marks: a rule, a heading's line, a bullet, a fence?"""
    start = text.rfind("\n") + 1
    line = text[start:]
    if len(line) <= LONGEST_MARKS and MARKS.match(line):
        return text[:start]
    return text


def with_delimiter_row(text: str) -> str:
    """A table at the end whose second line has not arrived yet, given one; any other text as it is."""
    before, gap, last = text.rpartition("\n\n")
    if not TABLE.match(last):
        return text
    header, _, rest = last.partition("\n")
    if "\n" in rest or not DELIMITERS.match(rest):
        return text
    return f"{before}{gap}{header}\n{'|---' * _columns(header)}|"


def _columns(header: str) -> int:
    cells = escapedSplit(header.strip())
    return max(1, len(cells) - (cells[0] == "") - (len(cells) > 1 and cells[-1] == ""))


def is_one_paragraph(text: str) -> bool:
    """Whether a text without a line break surely is a paragraph, so that no block parser need look."""
    return "\n" not in text and PROSE.match(text) is not None
