"""Reads a prompt back: the passages, the question, and what kind of answer is wanted.

The form is the one that `app.prompt` documents; this module knows nothing of how it is answered.
"""

import html
import re
from dataclasses import dataclass

from dev.standin import summaries

BETWEEN = " › "  # of the title and the headings that lead to a passage
TITLE_ORDER = "write a title"  # how the system message of a title job begins

_SOURCES = re.compile(r"<sources>(.*?)</sources>", re.DOTALL)
_SOURCE = re.compile(r"<source\s+([^>]*)>\n?(.*?)\n?</source>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_ESCAPED = re.compile(r"<\\(/?(?:sources?|question)\b)", re.IGNORECASE)
_QUESTION = re.compile(r"<question>(.*)</question>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    n: int
    title: str
    text: str

    @property
    def section(self) -> str:
        """The innermost heading that leads to it; the product writes them behind the document's title."""
        return self.title.rpartition(BETWEEN)[2] if BETWEEN in self.title else ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`passages` is None where the prompt has no place for sources at all; `whole` is its message."""

    question: str
    passages: tuple[Passage, ...] | None
    wants_title: bool
    wants_summary: bool
    whole: str


def read(messages: list[tuple[str, str]]) -> Prompt:
    """The last user message of `(role, text)` pairs, taken apart."""
    asked = next((text for role, text in reversed(messages) if role == "user"), "")
    system = next((text for role, text in messages if role in ("system", "developer")), "")
    block = _SOURCES.search(asked)
    rest = asked[block.end() :] if block else asked
    tagged = _QUESTION.search(rest)
    return Prompt(
        question=_plain(tagged[1] if tagged else rest).strip(),
        passages=_passages(block[1]) if block else None,
        wants_title=system.lstrip().lower().startswith(TITLE_ORDER),
        wants_summary=system.lstrip().lower().startswith(summaries.ORDER),
        whole=asked,
    )


def _passages(block: str) -> tuple[Passage, ...]:
    found = []
    for n, (attributes, text) in enumerate(_SOURCE.findall(block), 1):
        given = dict(_ATTRIBUTE.findall(attributes))
        number = given.get("n", "")
        found.append(
            Passage(
                int(number) if number.isdecimal() else n,
                _plain(html.unescape(given.get("title", ""))),
                _plain(text),
            )
        )
    return tuple(found)


def _plain(text: str) -> str:
    """Our tags as the text had them before `app.prompt` escaped them."""
    return _ESCAPED.sub(r"<\1", text)
