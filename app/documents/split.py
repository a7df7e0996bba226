"""A text to passages: sections by their headings, and long sections at sentence ends in any script.

Each passage is a span of the text, so that text[start:end] is the passage. Knows no vectors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from semantic_text_splitter import MarkdownSplitter, TextSplitter

from app.documents.extract import Extract

VERSION = "1"  # part of every document's hash: a new one makes all of them be split again
FULL = (200, 420)  # tokens: a passage stops growing at the first, a paragraph up to the second stays whole


@dataclass(frozen=True, slots=True)
class Piece:
    """`headings` lead to it, outermost first; its own are not part of its text."""

    text: str
    headings: tuple[str, ...]
    page: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    headings: tuple[str, ...]
    start: int
    end: int


def split(extract: Extract) -> list[Piece]:
    splitter = (MarkdownSplitter if extract.markdown else TextSplitter).from_callback(tokens, FULL)
    pieces = []
    for section in _sections(extract):
        body = extract.text[section.start : section.end] + "\n"  # else the last paragraph is not seen as one
        for offset, text in splitter.chunk_indices(body):
            start = section.start + offset
            pieces.append(Piece(text, section.headings, extract.page(start), start, start + len(text)))
    return pieces


def tokens(text: str) -> int:
    """About what multilingual-e5's tokenizer counts: 4.2 letters a token, 0.77 tokens a Chinese character
    (fitted on XQuAD). Letters of one byte in UTF-8 are the former, of three the latter, of two in between."""
    wide = (len(text.encode("utf-8", "replace")) - len(text)) / 2
    return round(max(len(text) - wide, 0) / 4.2 + wide * 0.77)


def _sections(extract: Extract) -> Iterator[Section]:
    """What lies between two headings, with the headings above it; a text of headings only is one section."""
    whole = Section((), 0, len(extract.text))
    if not extract.markdown:
        yield whole
        return
    starts = _line_starts(extract.text)
    path: dict[int, str] = {}
    start, bodies = 0, 0
    for level, title, first, after in _headings(extract.text):
        if extract.text[start : starts[first]].strip():
            yield Section(tuple(path.values()), start, starts[first])
            bodies += 1
        path = {depth: text for depth, text in path.items() if depth < level} | {level: title}
        start = starts[after]
    if extract.text[start:].strip():
        yield Section(tuple(path.values()), start, len(extract.text))
    elif not bodies:
        yield whole


def _headings(text: str) -> Iterator[tuple[int, str, int, int]]:
    """Level, title, first line and the line after; headings inside lists and quotes do not divide a text."""
    blocks = MarkdownIt("commonmark").parse(text)
    for block, content in pairwise(blocks):
        if block.type == "heading_open" and block.level == 0 and block.map:
            yield int(block.tag[1:]), _plain(content), block.map[0], block.map[1]


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or () if child.content).strip()


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return [min(start, len(text)) for start in starts]
