"""A conversation's title from its first question: the question's own words, shortened."""

import re

from dev.standin.terms import HAN, is_chinese

WORDS, CHARACTERS = 6, 12
_OPENING = re.compile(
    r"^(?:(?:hi|hello|please|so|and|well)\b[,!.]?\s+)*"
    r"(?:(?:can|could|would|will) (?:you|we|i) (?:please )?(?:tell me |explain |show me )?"
    r"|(?:tell me|explain|show me) (?:about )?|i (?:want|need) to (?:know )?)?"
    r"(?:how (?:do|does|can|could|should|would) (?:i|we|you|one) |how to )?",
    re.IGNORECASE,
)
_CHINESE_OPENING = re.compile(r"^(?:(?:你好|您好|请问一下|请问|请告诉我|告诉我|我想知道|麻烦)[，,。！!\s]*)+")
_LOOSE = {
    "the",
    "a",
    "an",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "with",
    "and",
    "or",
    "is",
    "are",
    "from",
    "by",
}


def title(text: str) -> str:
    """At most 6 words, or 12 characters where the text is Chinese; never empty."""
    said = re.sub(r"^[\W_]+", "", re.sub(r"<[^>]*>", " ", text))
    line = re.split(r"[。？！\n]|[.?!](?:\s|$)", said, maxsplit=1)[0].strip()
    return (_chinese(line) if is_chinese(text) else _english(line)) or "New conversation"


def _chinese(line: str) -> str:
    kept = _CHINESE_OPENING.sub("", line) or line
    if len(kept) <= CHARACTERS:
        return kept
    cut = kept[:CHARACTERS]
    if cut[-1].isascii() and kept[CHARACTERS].isascii():
        cut = re.sub(rf"[^\s{HAN}]+$", "", cut) or cut  # no word in Latin letters is cut in two
    return cut.strip()


def _english(line: str) -> str:
    words = (_OPENING.sub("", line) or line).split()[:WORDS]
    while len(words) > 1 and words[-1].lower() in _LOOSE:
        words.pop()
    joined = " ".join(words).strip(" ,;:\"'")
    return joined[:1].upper() + joined[1:]
