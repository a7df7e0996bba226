"""What a parser makes of a file: plain characters that every later span counts in. Knows no passages."""

import re
import unicodedata
from dataclasses import dataclass

# Pieces that PDF fonts put in place of the characters people type: Kangxi radicals and Latin ligatures.
_LOOKALIKES = re.compile("[\u2e80-\u2eff\u2f00-\u2fdf\ufb00-\ufb06]")


@dataclass(frozen=True, slots=True)
class Extract:
    """`pages` holds the character at which each page starts; empty where the format has no pages."""

    text: str
    title: str = ""  # as the document itself says, empty where it does not
    markdown: bool = False
    pages: tuple[int, ...] = ()

    def page(self, character: int) -> int | None:
        """The page that holds the character, from 1."""
        return sum(start <= character for start in self.pages) or None


class Refused(Exception):
    """A file cannot be ingested; the message is the reason, as one says it after the file's name."""


def tidy(text: str) -> str:
    """One kind of line end, no NUL, ordinary characters for look-alikes."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return _LOOKALIKES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
