"""A growing markdown text, given out block by block: finished blocks once, the open one again and again.

Only the open block is ever parsed. The block parser runs over its complete lines; every top-level
block but the last is finished, and so is the last if nothing that follows can change it. Finished
blocks are never revised. Knows nothing of frames on the wire or of turns.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from markdown_it.token import Token

from .html import Renderer, extent, is_closed
from .parser import parse
from .safety import clean
from .views import FenceView, ListView, TableView, TextView, View, offset_of

HEAVY = 4_000  # characters that are new to the splitter: parsing and highlighting them may take 10 ms
REPLACED = re.compile(r"\r\n?|[\0\ud800-\udfff]|[\1-\b\v\f\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ENDS_AT_BLANK_LINE = {"paragraph_open", "table_open", "blockquote_open", "math_block"}
LONG = 1_500  # characters; a longer open block is rendered anew only when it has grown by a share of itself
SHARE = 128


class Frame(NamedTuple):
    """Safe HTML: blocks finished since the frame before, and the open block as it looks now."""

    done: str
    open: str


def _replacement(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "\r":
        return "\n"
    return "\ufffd" if found == "\0" or "\ud800" <= found <= "\udfff" else ""


def normalised(text: str) -> str:
    """Line ends as `\\n`; NUL and lone surrogates replaced; control and reordering characters dropped."""
    return REPLACED.sub(_replacement, text)


class Block(NamedTuple):
    """One top-level block: its tokens and its lines, from `start` up to but without `end`."""

    tokens: Sequence[Token]
    start: int
    end: int


def blocks_of(tokens: Sequence[Token]) -> Iterator[Block]:
    first = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            yield Block(tokens[first : index + 1], *extent(tokens[first]))
            first = index + 1


def _is_finished(block: Block, lines: int) -> bool:
    head = block.tokens[0]
    if head.type in ("heading_open", "hr"):
        return True
    if head.type in ("fence", "math_block") and is_closed(head):
        return True
    return head.type in ENDS_AT_BLANK_LINE and block.end < lines


def render(text: str, cards: Collection[int] = (), prefix: str = "") -> str:
    """A whole answer as safe HTML. `cards` are the source numbers that may be linked to."""
    renderer = Renderer(cards, prefix)
    return "".join(clean(renderer.render(block.tokens)) for block in blocks_of(parse(normalised(text))))


class Blocks:
    def __init__(self, cards: Collection[int] = (), prefix: str = "") -> None:
        self._renderer = Renderer(cards, prefix)
        self._text = ""  # from the start of the open block
        self._carry = ""  # a carriage return whose line feed may follow
        self._is_fed = False  # since the last take
        self._split_to = 0  # complete lines of `_text` up to here have been looked at
        self._view: View = TextView(self._renderer)
        self._drawn = ("", "")  # the open text that was rendered last, and its HTML

    @classmethod
    def resume(cls, text: str, cards: Collection[int] = (), prefix: str = "") -> "Blocks":
        """Blocks for a reader who already has everything that `text` had finished."""
        blocks = cls(cards, prefix)
        blocks.feed(text)
        blocks._finish()
        return blocks

    @property
    def heavy(self) -> bool:
        """Whether the next `take` may hold the event loop for long, so that it belongs in a thread."""
        fresh = len(self._text) - self._split_to
        return fresh > HEAVY or self._view.is_closing_long(self._text, self._split_to)

    def feed(self, text: str) -> None:
        text = self._carry + text
        self._carry = "\r" if text.endswith("\r") else ""
        self._is_fed = True
        self._text += normalised(text.removesuffix("\r"))

    def take(self, *, plain: bool = False) -> Frame:
        """What is new. `plain` leaves the open block unparsed, for a server under load.

        A long open block may lag behind by a hundredth of itself; a `take` with nothing new catches up.
        """
        frame = Frame(self._finish(), self._view.plain(self._text) if plain else self._open())
        self._is_fed = False
        return frame

    def close(self) -> Frame:
        """Everything that is left, finished."""
        text, self._text, self._carry = self._text + self._carry.replace("\r", "\n"), "", ""
        done = self._html(list(blocks_of(parse(text))))
        self._start_anew("", 0, [])
        return Frame(done, "")

    def _finish(self) -> str:
        end = self._text.rfind("\n") + 1
        if end <= self._split_to:
            return ""
        if self._view.goes_on(self._text, self._split_to, end):
            self._split_to = end
            return ""
        return self._split(end)

    def _split(self, end: int) -> str:
        complete = self._text[:end]
        blocks = list(blocks_of(parse(complete)))
        lines = complete.count("\n")
        is_open = bool(blocks) and not _is_finished(blocks[-1], lines)
        finished = blocks[:-1] if is_open else blocks
        cut = offset_of(complete, blocks[-1].start) if is_open else end
        html = self._html(finished)
        self._start_anew(self._text[cut:], end - cut, blocks[-1].tokens if is_open else [])
        return html

    def _html(self, blocks: list[Block]) -> str:
        return "".join(clean(self._renderer.render(block.tokens)) for block in blocks)

    def _start_anew(self, text: str, split_to: int, tokens: Sequence[Token]) -> None:
        if split_to == 0:
            self._renderer.forget()
        self._text, self._split_to, self._drawn = text, split_to, ("", "")
        self._view = _view(self._renderer, text[:split_to], tokens)

    def _open(self) -> str:
        drawn, html = self._drawn
        grown = len(self._text) - len(drawn)
        if grown == 0 and drawn:
            return html
        if self._is_fed and len(self._text) > LONG and 0 < grown < len(drawn) // SHARE:
            return html
        html = self._view.draw(self._text)
        self._drawn = (self._text, html)
        return html


def _view(renderer: Renderer, complete: str, tokens: Sequence[Token]) -> View:
    kind = tokens[0].type if tokens else ""
    if kind == "fence":
        return FenceView(tokens[0], complete)
    if kind in ("bullet_list_open", "ordered_list_open"):
        return ListView(renderer, complete, tokens)
    if kind == "table_open":
        return TableView(renderer, complete, tokens)
    return TextView(renderer, kind)
