"""How an open block is drawn, and cheaply: running text, a list, a fence.

Each view `draw`s the open text and says whether it `goes_on`: whether the complete lines that are
new surely leave the block open, so that it need not be parsed again as a whole.
"""

import re
from collections.abc import Sequence

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.token import Token

from . import opening
from .html import Renderer, escape, extent, figure, language_of
from .mending import SENTINEL
from .parser import parse

SPECIAL = re.compile(r"[\n*_`\[\]$\\<>&~|:;#/]")
# Complete lines after which a block is surely still open.
INDENTED = re.compile(r"(?:(?:  |\t)[ \t]*\S.*\n|[ \t]*\n)+")
ROWS = re.compile(r"(?: {0,3}\|.*\n)+")
PROSE = re.compile(r"(?: {0,3}[^\W\d_].*\n)+")
QUOTED = re.compile(r"(?: {0,3}>.*\n)+")
CONTINUES = {"paragraph_open": PROSE, "blockquote_open": QUOTED}
LIMIT = 8_000  # characters of what must be parsed for a frame; beyond, the open part is plain text
LONG_CODE = 1_500  # characters that take Pygments about 10 ms
CLOSING_LINE = re.compile(r"(?:\A|\n)[ \t]*(?:`+|~+)[ \t]*\Z")


def offset_of(text: str, line: int) -> int:
    """Where a line begins, in characters. Only `\\n` ends a line, as in the parser."""
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset


class TextView:
    """Any block; as long as only plain characters are added to its end, they are appended to the HTML."""

    def __init__(self, renderer: Renderer, kind: str = "") -> None:
        self._renderer = renderer
        self._continues = CONTINUES.get(kind)
        self._length = 0
        self._appends = False
        self._body = self._suffix = self._space = ""

    def goes_on(self, text: str, start: int, end: int) -> bool:
        return self._continues is not None and self._continues.fullmatch(text, start, end) is not None

    def is_closing_long(self, text: str, start: int) -> bool:
        return False

    def plain(self, text: str) -> str:
        text = text.strip("\n")
        return f'<p class="plain">{escape(text)}</p>' if text else ""

    def draw(self, text: str) -> str:
        new = text[self._length :]
        self._length = len(text)
        if not self._appends or SPECIAL.search(new):
            self._redraw(text)
        else:
            self._append(new)
        return self._body + self._suffix

    def _append(self, new: str) -> None:
        new = self._space + new
        seen = new.rstrip(MD_TRIM_CHARS)
        self._space = new[len(seen) :]
        self._body += escape(seen)

    def _redraw(self, text: str) -> None:
        shown = opening.decided(text)
        html = self._html(shown)
        self._body, marked, self._suffix = html.partition(SENTINEL)
        seen = text.rstrip(MD_TRIM_CHARS)
        self._space = text[len(seen) :]
        undecided = (
            len(shown) < len(text) or self._renderer.stuck or SPECIAL.match(seen[-1:]) or "\n" in self._space
        )
        self._appends = bool(marked) and not undecided

    def _html(self, text: str) -> str:
        if opening.is_one_paragraph(text):
            inside = self._renderer.mended(text.rstrip(MD_TRIM_CHARS))
            return f"<p>{inside}</p>"
        return self._drawn(text)

    def _drawn(self, text: str) -> str:
        if len(text) > LIMIT:
            return self.plain(text)
        return self._renderer.render(self._tokens(text), growing=True)

    def _tokens(self, text: str) -> Sequence[Token]:
        return parse(opening.with_delimiter_row(text))


class ListView(TextView):
    """A list keeps the HTML of all its items but the last; only that one is parsed again."""

    def __init__(self, renderer: Renderer, complete: str, tokens: Sequence[Token]) -> None:
        super().__init__(renderer)
        self._anchor = 0  # where the last complete item begins
        self._loose = False
        self._head, self._close = renderer.render(tokens[:1]), renderer.render(tokens[-1:])
        self._keep_all_but_last(complete, tokens)

    def goes_on(self, text: str, start: int, end: int) -> bool:
        if INDENTED.fullmatch(text, start, end):
            return True
        tail = text[self._anchor : end]
        tokens = parse(tail)
        if sum(token.level == 0 and token.nesting < 1 for token in tokens) != 1:
            return False
        self._keep_all_but_last(tail, tokens)
        return True

    def _keep_all_but_last(self, tail: str, tokens: Sequence[Token]) -> None:
        self._loosen(tokens)
        items = [i for i, token in enumerate(tokens) if token.type == "list_item_open" and token.level == 1]
        if len(items) > 1:
            self._head += self._renderer.render(tokens[1 : items[-1]])
            self._anchor += offset_of(tail, extent(tokens[items[-1]])[0] - extent(tokens[0])[0])

    def _loosen(self, tokens: Sequence[Token]) -> None:
        paragraphs = [token for token in tokens if token.level == 2 and token.tag == "p"]
        self._loose = self._loose or any(not token.hidden for token in paragraphs)
        for token in paragraphs:
            token.hidden = not self._loose

    def _html(self, text: str) -> str:
        end = "" if len(text) - self._anchor <= LIMIT else self._close
        return self._head + self._drawn(text[self._anchor :]) + end

    def _tokens(self, text: str) -> Sequence[Token]:
        tokens = super()._tokens(text)
        self._loosen(tokens)
        return tokens[1:]


class TableView(TextView):
    """A table keeps the HTML of its complete rows; only the row that is being typed is parsed."""

    def __init__(self, renderer: Renderer, complete: str, tokens: Sequence[Token]) -> None:
        super().__init__(renderer)
        self._end = offset_of(complete, 2)
        self._top = complete[: self._end]
        self._head = renderer.render(tokens[: _index(tokens, "thead_close") + 1])
        self._rows = ""
        self._keep_rows(complete)

    def goes_on(self, text: str, start: int, end: int) -> bool:
        if not ROWS.fullmatch(text, start, end):
            return False
        self._keep_rows(text[:end])
        return True

    def _keep_rows(self, complete: str) -> None:
        self._rows += self._renderer.render(self._parse_rows(complete[self._end :]))
        self._end = len(complete)

    def _parse_rows(self, rows: str) -> Sequence[Token]:
        tokens = parse(self._top + rows)
        if len(tokens) < 4 or tokens[-2].type != "tbody_close":
            return []
        return tokens[_index(tokens, "tbody_open") + 1 : -2]

    def _html(self, text: str) -> str:
        rows = self._rows + self._renderer.render(self._parse_rows(text[self._end :]), growing=True)
        body = f"<tbody>{rows}</tbody>" if rows else ""
        return f"{self._head}{body}</table></div>"


def _index(tokens: Sequence[Token], kind: str) -> int:
    return next(index for index, token in enumerate(tokens) if token.type == kind)


class FenceView:
    """Open code is escaped text: highlighting waits for the closing line."""

    def __init__(self, fence: Token, complete: str) -> None:
        self._start = complete.index("\n") + 1
        self._language = language_of(fence.info)
        indent = len(complete) - len(complete.lstrip(" "))
        self._indent = re.compile(rf"^ {{1,{indent}}}", re.MULTILINE) if indent else None
        mark = re.escape(fence.markup[0])
        self._closing = re.compile(rf"^ {{0,3}}{mark}{{{len(fence.markup)},}}[ \t]*$", re.MULTILINE)

    def goes_on(self, text: str, start: int, end: int) -> bool:
        return self._closing.search(text, start, end) is None

    def is_closing_long(self, text: str, start: int) -> bool:
        return start > LONG_CODE and self._closing.search(text, start) is not None

    def plain(self, text: str) -> str:
        return self.draw(text)

    def draw(self, text: str) -> str:
        code = CLOSING_LINE.sub("", text[self._start :])
        if self._indent:
            code = self._indent.sub("", code)
        return figure(escape(code), self._language)


View = TextView | FenceView
