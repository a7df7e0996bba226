"""The dialect: CommonMark, tables, strikethrough, task lists, math; no HTML and no reference definitions.

A definition usually stands at the end and would revise links that were sent long before, and `[1]: …`
would take the citation [1] away; so `[label]: url` stays the text that it is. Knows nothing of streaming
but this: whether a block has begun never depends on lines after the one that begins it.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from . import inline

ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
MATH_OPENS = {"$$": "$$", "\\[": "\\]"}


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`$$…$$` or `\\[…\\]` from the head of a line; a blank line or the end leaves it unclosed."""
    head = _line(state, start)
    closer = MATH_OPENS.get(head[:2])
    if closer is None or state.is_code_block(start):
        return False
    first = head[2:].rstrip()
    if closer in first and first.find(closer) != len(first) - 2:
        return False  # text follows on the line: inline math in a paragraph
    if silent:
        return True
    lines, closed, line = [first], first.endswith(closer), start + 1
    while not closed and line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        lines.append(_line(state, line).rstrip())
        closed = lines[-1].endswith(closer)
        line += 1
    _push_math(state, start, line, lines, head[:2], closed)
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _push_math(state: StateBlock, start: int, end: int, lines: list[str], opener: str, closed: bool) -> None:
    state.line = end
    token = state.push("math_block", "", 0)
    token.map = [start, end]
    token.markup = opener
    token.meta = {"closed": closed}
    content = "\n".join(lines)
    token.content = content[:-2] if closed else content


def _build() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"maxNesting": 60, "tasklists": True})
    inline.install(parser)
    parser.block.ruler.before("fence", "math_block", math_block, {"alt": ["paragraph", "blockquote", "list"]})
    parser.disable(["reference", "html_block", "html_inline"])
    parser.validateLink = lambda url: ADDRESS.match(url) is not None  # type: ignore[method-assign]  # its hook
    return parser


PARSER = _build()


def parse(text: str) -> list[Token]:
    """Block tokens of complete or partial lines; the inline parts stay unparsed in `token.content`."""
    tokens: list[Token] = []
    PARSER.block.parse(text, PARSER, {}, tokens)
    return tokens


def parse_inline(text: str, env: inline.Env) -> list[Token]:
    tokens: list[Token] = []
    PARSER.inline.parse(text, PARSER, env, tokens)
    return tokens
