"""What stands inside a line: citations, math, bare links, emphasis beside Chinese.

Knows nothing of blocks. `env` carries the known source numbers as `cards`; what is half typed: `mending`.
"""

import re
import unicodedata
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS, isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from . import mending

Env = dict[str, Any]
CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,，、;]\s*\d{1,3})*)\](?!\()")
NUMBER = re.compile(r"\d+")
SCHEME = re.compile(r"(?<![a-z0-9.+-])https?\Z", re.IGNORECASE)
BARE = re.compile(r"://[A-Za-z0-9\[](?:[A-Za-z0-9\-._~/?#\[\]@!$&'()*+,;=%:])*")
TRAILING = ".,:;!?'*_~"
CLOSES = {")": "(", "]": "["}
MATH_CLOSERS = {"\\(": "\\)", "\\[": "\\]"}
MATH_LIMIT = 2_000


def _is_cjk(char: str) -> bool:
    return char >= "\u1100" and unicodedata.east_asian_width(char) in "WF"


def _is_punctuation(char: str) -> bool:
    return (isMdAsciiPunct(ord(char)) or isPunctChar(char)) and not _is_cjk(char)


class State(StateInline):
    """Emphasis as in github.com/tats-u/markdown-cjk-friendly: a wide character counts like a boundary."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        if self.src.isascii():
            return super().scanDelims(start, canSplitWord)
        marker, end = self.src[start], start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        point_before, point_after = _is_punctuation(before), _is_punctuation(after)
        left = not space_after and (not point_after or space_before or point_before or _is_cjk(before))
        right = not space_before and (not point_before or space_after or point_after or _is_cjk(after))
        opens = left and (canSplitWord or not right or point_before)
        closes = right and (canSplitWord or not left or point_after)
        return Scanned(opens, closes, end - start)


class Parser(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        if env.get("open"):
            decided = mending.without_undecided(src)
            env["stuck"] = len(decided) < len(src)
            src = decided.rstrip(MD_TRIM_CHARS)
        state = State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def install(md: MarkdownIt) -> None:
    """Put this dialect's inline parser and rules into a fresh MarkdownIt."""
    md.inline = Parser()
    rules = md.inline.ruler
    rules.before("escape", "math", math)
    rules.before("backticks", "half_code", mending.half_code)
    rules.before("link", "citation", citation)
    rules.before("link", "half_link", mending.half_link)
    rules.before("autolink", "half_address", mending.half_address)
    rules.after("text", "bare_link", bare_link)
    md.inline.ruler2.after("balance_pairs", "close_emphasis", mending.close_emphasis)


def citation(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "[" or state.linkLevel or silent:
        return False  # silent is the search for a link's end: inside a link it is only text
    match = CITATION.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    numbers = [int(number) for number in NUMBER.findall(match[1])]
    if not any(number in state.env["cards"] for number in numbers):
        return False
    for number in numbers:
        known = number in state.env["cards"]
        token = state.push("citation" if known else "text", "", 0)
        token.content = str(number) if known else f"[{number}]"
    state.pos = match.end()
    return True


def math(state: StateInline, silent: bool) -> bool:
    """`$…$` by pandoc's rule (no space inside the dollars, no digit after), `$$…$$`, `\\(…\\)`, `\\[…\\]`."""
    src, start = state.src, state.pos
    if src[start] not in "$\\":
        return False
    pair = src[start : start + 2]
    opener = pair if pair == "$$" or pair in MATH_CLOSERS else src[start]
    if opener == "\\" or (opener == "$" and not _opens(src[start + 1 : start + 2])):
        return False
    closer, first = MATH_CLOSERS.get(opener, opener), start + len(opener)
    last = src.find(closer, first, min(state.posMax, first + MATH_LIMIT))
    if last == first:
        return False
    if last > 0:
        end = last + len(closer)
        if opener == "$" and (src[last - 1] in " \t\n\\" or src[end : end + 1].isdigit()):
            return False
        return _push_math(state, silent, "math_inline", first, last, end, opener)
    if not state.env.get("open") or state.posMax < len(src) or src[first : first + 1].isdigit():
        return False
    return _push_math(state, silent, "math_source", first, state.posMax, state.posMax, opener)


def _opens(char: str) -> bool:
    return bool(char) and char not in " \t\n$"


def _push_math(
    state: StateInline, silent: bool, kind: str, first: int, last: int, end: int, opener: str
) -> bool:
    if not silent:
        token = state.push(kind, "", 0)
        token.content = state.src[first:last]
        token.markup = opener
        if kind == "math_source":
            token.content += mending.SENTINEL
            state.env["marked"] = True
    state.pos = end
    return True


def bare_link(state: StateInline, silent: bool) -> bool:
    """http(s)://… in running text, up to the first character that no address has (any Chinese one)."""
    if state.src[state.pos] != ":" or state.linkLevel or silent:
        return False
    scheme = SCHEME.search(state.pending[-6:])
    match = BARE.match(state.src, state.pos, state.posMax) if scheme else None
    if scheme is None or match is None:
        return False
    rest = _without_trailing(match[0])
    text = scheme[0] + rest
    href = state.md.normalizeLink(text)
    state.pending = state.pending[: -len(scheme[0])]
    state.push("link_open", "a", 1).attrs = {"href": href}
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1)
    state.pos += len(rest)
    if match.end() == state.posMax:
        state.env["stuck"] = True
    return True


def _without_trailing(address: str) -> str:
    for mark in ("**", "~~"):  # emphasis that closes right after the address
        address = address.split(mark, 1)[0]
    while address[-1] in TRAILING or (address[-1] in CLOSES and _is_surplus(address)):
        address = address[:-1]
    return address


def _is_surplus(address: str) -> bool:
    closer = address[-1]
    return address.count(closer) > address.count(CLOSES[closer])
