"""Whether a small model's answer will not do, so that the large one is asked. Pure.

Goes by the answer's first sentence: a refusal stands there or it is none. A wrong alarm throws a good answer
away before its reader's eyes, so whatever softens a refusal (a source's number, "but", a next sentence that
begins with "However" or holds a figure) lets it pass. Knows neither the question nor the sources.
"""

import re

from app.routing.refusals import (
    AGREED,
    BEFORE,
    HELPLESS,
    NOTHING_SAID,
    REFUSALS,
    SOFTENED,
    SUBSTANCE,
    TURN,
)

WATCHED = 240  # characters; a model that passes says so in its first sentences
TURNING = 12  # characters of the next sentence, in which a "However" would stand
REFUSED, TOO_SHORT = "refused", "too short"

_CITATION = re.compile(r"\[\d+\]|【\d+】")
_SENTENCE = re.compile(r"(.+?)(?:[!?](?=\s|$)|\.(?=[\s*]|$)|[。！？]|\n|\Z)\s*", re.DOTALL)


def unanswered(text: str, *, whole: bool) -> str:
    """Why the text is no answer (REFUSED, TOO_SHORT), or an empty string; `whole`: no more will come."""
    said = text[: 2 * WATCHED]
    if whole and (AGREED.fullmatch(said) or NOTHING_SAID.fullmatch(_CITATION.sub("", said))):
        return TOO_SHORT
    return REFUSED if _refuses(said, whole) else ""


def _refuses(said: str, whole: bool) -> bool:
    rest = _after_manners(said)
    sentence = _SENTENCE.match(rest)
    if not sentence:
        return False
    first, following = sentence[1].rstrip("*_ "), rest[sentence.end() :].lstrip("*_ \n")
    if not whole and len(following) < TURNING:
        return False
    if _CITATION.search(first) or SOFTENED.search(first) or TURN.match(following):
        return False
    return bool(REFUSALS.match(first)) and _is_empty(following, whole or len(said) > WATCHED)


def _is_empty(following: str, whole: bool) -> bool:
    """Whether what comes after a refusal is none of an answer, as far as it can be told by now."""
    if HELPLESS.match(following):
        return True
    rest = _after_manners(following)
    sentence = _SENTENCE.match(rest)
    if not sentence:
        return whole
    if REFUSALS.match(sentence[1]):
        return True
    if SUBSTANCE.search(sentence[0]) or _CITATION.search(rest):
        return False
    return whole or sentence.end() > len(sentence[1])


def _after_manners(said: str) -> str:
    """What is left behind an apology and "Based on the sources,"."""
    start = 0
    while (manners := BEFORE.match(said, start)) and manners.end() > start:
        start = manners.end()
    return said[start:]
