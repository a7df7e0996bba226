"""What a question means that leans on the conversation, by rules. Pure, and far below a millisecond.

Goes through the latest questions in their order and keeps what they are about. Does not read answers: what
they speak of first is as often beside the point.
"""

from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

from app.followups import chinese, english
from app.followups.kinds import Kind
from app.prompt import Exchange
from app.text import is_chinese

LOOKED_BACK = 10  # exchanges
FORGOTTEN = 2  # questions about something else, after which a topic is not meant any more
READ = 400  # characters of a question; one that is longer stands alone
LONGEST = 300  # characters of what comes out


class _Read(NamedTuple):
    """What a question tells by itself; `settles`: its topic takes the earlier one's place."""

    kind: Kind
    topic: str
    name: str
    settles: bool


def stand_alone(question: str, history: Sequence[Exchange]) -> str:
    """The question as it would be put without a conversation; empty when it leans on nothing."""
    asked = " ".join(question.split())
    if len(asked) > READ or not history or _read(asked).kind is Kind.NONE:
        return ""
    topic = name = before = ""
    elsewhere = 0  # questions since the topic that were about something else
    for exchange in history[-LOOKED_BACK:]:
        earlier = " ".join(exchange.question[:READ].split())
        told = _read(earlier)
        name = told.name or name
        if told.kind is not Kind.FRAGMENT:
            before = _join(earlier, topic, name, before) or earlier
        if told.settles or (not topic and told.kind is Kind.NONE):
            topic, elsewhere = told.topic or topic, 0
        elif told.kind is Kind.NONE and topic.lower() not in earlier.lower():
            elsewhere += 1
        if elsewhere == FORGOTTEN:
            topic = ""
    return _join(asked, topic, name, before)[:LONGEST]


def _join(question: str, topic: str, name: str, before: str) -> str:
    """Empty where there is nothing to lean on."""
    kind = _read(question).kind
    needed = before if kind is Kind.FRAGMENT else topic
    if kind is Kind.NONE or not needed or needed.lower() in question.lower():
        return ""
    joined: str = _language(question).join(question, kind, topic, name, before)
    return joined


@lru_cache(512)
def _read(question: str) -> _Read:
    language = _language(question)
    kind, topic, name = language.kind(question), language.topic(question), language.name(question)
    settles = kind is Kind.FRAGMENT and bool(name)
    if kind is Kind.NONE:
        settles = language.introduces(question, topic)
    return _Read(kind, topic, name, settles)


def _language(question: str) -> ModuleType:
    return chinese if is_chinese(question) else english
