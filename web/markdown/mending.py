"""Inline rules for a text that is still being typed: the half open is closed, the undecided hidden.

Each acts only with `env["open"]`, so a finished text never meets them. They know nothing of blocks.
"""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

SENTINEL = "\0"  # where more text will appear; never in a text, because `Blocks` replaces it
HALF_LINK = re.compile(r"!?\[(?!\d+\])((?:[^\[\]\\`]|\\.)*+)(\](?:\([^()\n]*+)?)?\Z", re.DOTALL)
HALF_ADDRESS = re.compile(r"<[A-Za-z][^\s<>]*+\Z")
UNDECIDED = re.compile(r"(?:[*_~`$\\<&]|!?\[[\d,，、;\s]*+)+\Z")
RUN = re.compile(r"`+")
TAIL = 200


def without_undecided(text: str) -> str:
    """The text without trailing marks that the next character will decide: `**`, `[1`, a backslash."""
    return text[:-TAIL] + UNDECIDED.sub("", text[-TAIL:])


def half_code(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "`" or not _at_the_open_end(state):
        return False
    start = state.pos + len(RUN.match(state.src, state.pos)[0])  # type: ignore[index]  # it begins with one
    width = start - state.pos
    if any(len(run[0]) == width for run in RUN.finditer(state.src, start)):
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = state.src[start:].replace("\n", " ") + SENTINEL
        state.env["marked"] = True
    state.pos = state.posMax
    return True


def half_link(state: StateInline, silent: bool) -> bool:
    """`[label](https://exa` shows its label; so does an image."""
    if state.src[state.pos] not in "![" or silent or not _at_the_open_end(state):
        return False
    match = HALF_LINK.match(state.src, state.pos)
    if match is None:
        return False
    end = state.posMax
    state.pos, state.posMax = match.start(1), match.end(1)
    if match[2]:
        state.env["stuck"] = True
    state.md.inline.tokenize(state)
    state.pos = state.posMax = end
    return True


def half_address(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<" or silent or not _at_the_open_end(state):
        return False
    if not HALF_ADDRESS.match(state.src, state.pos):
        return False
    state.env["stuck"] = True
    state.append_pending(state.src[state.pos + 1 :])
    state.pos = state.posMax
    return True


def _at_the_open_end(state: StateInline) -> bool:
    return bool(state.env.get("open")) and state.posMax == len(state.src)


def close_emphasis(state: StateInline) -> None:
    """Close every opener that the text so far leaves open, in reverse order, behind the sentinel."""
    if not state.env.get("open"):
        return
    unmatched = [state.delimiters[index] for index in _open_indices(state.delimiters)]
    openers = [opener for opener in unmatched if not _is_inside_word(state, opener)]
    if not state.env.get("marked"):
        state.push("text", "", 0).content = SENTINEL
    closers = len(state.delimiters) + len(openers)
    for distance, opener in enumerate(openers, start=1):
        opener.end = closers - distance
    for opener in reversed(openers):
        text = state.tokens[opener.token].content
        state.push("text", "", 0).content = text
        state.delimiters.append(
            Delimiter(
                marker=opener.marker, length=0, token=len(state.tokens) - 1, end=-1, open=False, close=True
            )
        )


def _open_indices(delimiters: list[Delimiter]) -> list[int]:
    indices, index = [], 0
    while index < len(delimiters):
        delimiter = delimiters[index]
        if delimiter.end > index:
            index = delimiter.end
        elif delimiter.open and delimiter.end < 0:
            indices.append(index)
        index += 1
    return indices


def _is_inside_word(state: StateInline, opener: Delimiter) -> bool:
    """`2*3` is more likely a product than the start of an emphasis; Chinese has no such spaces to go by."""
    index = opener.token - 1
    while index >= 0 and state.tokens[index].content == state.tokens[opener.token].content:
        index -= 1
    before = state.tokens[index].content[-1:] if index >= 0 else ""
    return before.isascii() and before.isalnum()
