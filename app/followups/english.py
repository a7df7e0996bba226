"""English follow-ups: how one leans, what a question is about, and how the two are put together. Pure."""

import re
from itertools import groupby

from app.followups.english_words import (
    CLAUSE,
    COMPOUND,
    EMPTY_IT,
    FIRST_PERSON,
    FRAGMENT,
    HOW_ADJECTIVE,
    INTRODUCED,
    INVERTED,
    LEAD,
    OURS,
    PEOPLE,
    PRONOUN,
    RELATION,
    SIDE_OF,
    SMALL,
    WANTING,
    WHOLE,
)
from app.followups.kinds import Kind

_WORD = re.compile(r"[\w'’.-]*\w")
_PIECE = re.compile(r"[\w'’.-]*\w|[,;:()?!]")


def kind(question: str) -> Kind:
    """How the question leans on what came before."""
    asked = question.strip()
    words = asked.split()
    if (joined := WHOLE.match(asked)) and _is_whole(asked[joined.end() :]):
        return Kind.NONE
    if FRAGMENT.match(asked) and len(words) <= 9:
        return Kind.FRAGMENT
    if _points_back(asked):
        return Kind.PRONOUN
    if len(words) <= 10 and (_is_relation(asked) or WANTING.search(asked)):
        return Kind.RELATION
    return Kind.NONE


def _is_relation(asked: str) -> bool:
    compound = COMPOUND.match(asked)
    return bool(RELATION.match(asked)) and not (compound and compound["noun"].lower() not in SMALL)


def _is_whole(asked: str) -> bool:
    """Whether it leans on nothing and has a subject: a name, something of one's own, or several words that
    say something."""
    big = [word for phrase in _phrases(asked) for word in phrase]
    subject = len(big) > 1 or OURS.search(asked) or any(map(_is_name, big))
    return bool(subject) and kind(asked) is Kind.NONE


def topic(question: str) -> str:
    """The noun phrase that the question is most likely about: a name if there is one, else the first one."""
    inverted = INVERTED.match(question)
    asked = SIDE_OF.sub("", FIRST_PERSON.sub("", HOW_ADJECTIVE.sub("", question)))
    behind = _phrases(asked[inverted.end() :]) if inverted and asked == question else []
    phrases = behind or _phrases(asked) or _phrases(question)
    if named := [phrase for phrase in phrases if any(map(_is_name, phrase))]:
        phrase = sorted(named, key=len)[-1]
        last = max(place for place, word in enumerate(phrase) if _is_name(word))
        return " ".join(phrase[: last + 1] if inverted else phrase[:5])
    nouns = [phrase for phrase in phrases if len(phrase) > 1 or not phrase[0].endswith(("ing", "ed"))]
    first = next(iter(nouns or phrases), [])
    return " ".join(first[: 2 if inverted else 5])


def name(question: str) -> str:
    """The longest name in it: who "he" or "she" is."""
    runs = [[word for word in phrase if _is_name(word)] for phrase in _phrases(question)]
    return " ".join(sorted(runs, key=len)[-1]) if runs else ""


def introduces(question: str, topic: str) -> bool:
    """Whether the conversation is about this from now on: not when it is a mere "the city"."""
    if " " in topic or topic[:1].isupper() or " the " not in question.lower():
        return True
    return bool(INTRODUCED.match(question) and question.rstrip("?.! ").endswith(topic))


def _is_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def join(question: str, kind: Kind, topic: str, name: str, before: str) -> str:
    """The question with its topic, or a fragment behind the question that it goes on from."""
    asked = question.strip().rstrip("?.! ")
    if kind is Kind.FRAGMENT:
        rest = LEAD.sub("", asked, count=1)
        return f"{before.rstrip('?.! ')}, {rest or asked}?"
    if kind is Kind.PRONOUN:
        pronoun = _replaceable(asked)
        if not pronoun:
            return f"{before.rstrip('?.! ')}: {asked}?"
        topic = name if name and pronoun[0].lower() in PEOPLE else topic
        owned = topic + ("'" if topic.endswith("s") else "'s")
        instead = owned if pronoun["owning"] else topic
        return f"{asked[: pronoun.start()]}{instead}{asked[pronoun.end() :]}?"
    return f"{asked} ({topic})?"


def _replaceable(asked: str) -> "re.Match[str] | None":
    return next((found for found in PRONOUN.finditer(asked) if not found["pointing"]), None)


def _points_back(asked: str) -> bool:
    plain = EMPTY_IT.sub(" ", asked)
    return any(not _has_antecedent(plain[: found.start()], found) for found in PRONOUN.finditer(plain))


def _has_antecedent(before: str, found: "re.Match[str]") -> bool:
    """Whether the question itself names what the pronoun stands for."""
    if found["pointing"]:
        return False
    nouns = [word for word in _WORD.findall(before) if word.lower() not in SMALL]
    return bool(nouns) and (bool(found["owning"]) or (bool(CLAUSE.search(before)) and len(nouns) > 1))


def _phrases(question: str) -> list[list[str]]:
    """Runs of words that are neither small nor separated by marks."""
    pieces = [piece[0] for piece in _PIECE.finditer(question)]
    runs = [list(run) for is_big, run in groupby(pieces, key=_is_big) if is_big]
    return [run for run in runs if run]


def _is_big(piece: str) -> bool:
    return piece[0].isalnum() and not {piece.lower(), re.sub("['’]s$", "", piece.lower())} & SMALL
