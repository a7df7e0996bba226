"""From ranked candidates to what fits a prompt: nothing said twice, neighbours in one piece. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.retrieval.protocol import Passage
from app.text import estimate_tokens

ALIKE = 0.9  # share of shingles from which two texts say the same
SHINGLE = 3  # words, or Chinese characters
NEARBY = 2  # times k: the candidates that may still join when all places are taken
GAP = 2  # characters that splitting a section leaves out at the most between neighbours: white space

_TOKENS = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W\u3400-\u9fff\uf900-\ufaff]+")
_NAMES = re.compile(r"\w*[\d_]\w*|[A-Z]{2,}")  # what manuals of two products differ in
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n")


def select(ranked: Sequence[Passage], *, k: int, tokens: int) -> tuple[Passage, ...]:
    """At most k passages of `tokens` in all, in their order. The best one stays, shortened if it must be.

    A candidate that repeats a better one is left out, and one that continues a better one becomes part of it,
    so both make room for others. One that does not fit is passed over: a shorter one may.
    """
    chosen: list[_Candidate] = []
    for n, candidate in enumerate(map(_Candidate, ranked)):
        if len(chosen) == k and n >= NEARBY * k:
            break
        if any(candidate.repeats(each) for each in chosen):
            continue
        room = tokens - sum(each.tokens for each in chosen)
        neighbours = [each for each in chosen if joined(each.passage, candidate.passage)]
        if candidate.tokens > room:
            if not chosen:
                chosen.append(_Candidate(_shorten(candidate.passage, tokens)))
        elif neighbours:
            chosen = _join(chosen, neighbours, candidate)
        elif len(chosen) < k:
            chosen.append(candidate)
    return tuple(each.passage for each in chosen)


def joined(a: Passage, b: Passage) -> Passage | None:
    """Both as one piece of their document, if they lie side by side in one section or overlap; else None.

    Its score and id are those of `a`. Between neighbours stood white space, of which only the width is known.
    """
    if a.uri != b.uri or a.title != b.title:
        return None
    first, then = (a, b) if a.start <= b.start else (b, a)
    gap = then.start - first.end
    if gap > GAP:
        return None
    more = "\n" * gap + then.text if gap >= 0 else then.text[-gap:]
    end = max(first.end, then.end)
    return replace(a, text=first.text + more, page=first.page, start=first.start, end=end)


@dataclass(frozen=True)
class _Candidate:
    passage: Passage

    @cached_property
    def tokens(self) -> int:
        return estimate_tokens(self.passage.text)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(_NAMES.findall(self.passage.text))

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        tokens = _TOKENS.findall(self.passage.text.lower())
        shingles = frozenset(zip(*(tokens[at:] for at in range(SHINGLE)), strict=False))
        return shingles or frozenset([tuple(tokens)])

    def repeats(self, other: "_Candidate") -> bool:
        """Nearly the same words, and exactly the same names and numbers."""
        mine, others = self.passage.text, other.passage.text
        if mine == others:
            return True
        if not 0.8 < (len(mine) + 1) / (len(others) + 1) < 1.25 or self.names != other.names:
            return False
        shared = len(self.shingles & other.shingles)
        return shared >= ALIKE * len(self.shingles | other.shingles)


def _join(
    chosen: Sequence[_Candidate], neighbours: Sequence[_Candidate], candidate: _Candidate
) -> list[_Candidate]:
    """The candidate may close the gap between two: the better one's place takes all three."""
    whole = candidate.passage
    for each in reversed(neighbours):
        whole = joined(each.passage, whole) or whole
    better, rest = neighbours[0], neighbours[1:]
    return [_Candidate(whole) if each is better else each for each in chosen if each not in rest]


def _shorten(passage: Passage, tokens: int) -> Passage:
    """Its beginning, up to the last sentence that fits."""
    text = passage.text[: max(1, len(passage.text) * tokens // estimate_tokens(passage.text))]
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    text = text[: ends[-1]].rstrip() if ends and ends[-1] > len(text) // 2 else text
    return replace(passage, text=text, end=passage.start + len(text))
