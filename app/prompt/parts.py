"""What a prompt is made of, and how nobody's text passes for one of its tags. Knows no order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_OUR_TAGS = re.compile(r"<(/?(?:sources?|question|answer|summary)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Message:
    """`breakpoint`: what stands up to here stays put, so a provider may be told to cache it."""

    role: str
    content: str
    breakpoint: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the conversation, and its answer as far as it came."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class History:
    """A conversation before a question: what has been cut, summarised, and the exchanges since."""

    summary: str = ""
    exchanges: Sequence[Exchange] = ()


def escape(text: str) -> str:
    """The text, unable to close or open one of our tags."""
    return _OUR_TAGS.sub(r"<\\\1", text)
