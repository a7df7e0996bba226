"""From ranked candidates to what fits a prompt: nothing said twice, neighbours in one piece. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.retrieval.protocol import Passage
from app.text import estimate_tokens

ALIKE = 0.9  # share of shingles from which two texts say the same
SHINGLE = 3  # words, or Chinese characters
SAMPLED = 128  # of a candidate's shingles at the least: of a long text some tell as much as all
NEARBY = 2  # times k: the candidates that may still join when all places are taken
FAR = 4  # times k: the candidates that are looked at, however many of them repeat others
GAP = 2  # characters that splitting a section leaves out at the most between neighbours: white space

_TOKENS = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W\u3400-\u9fff\uf900-\ufaff]+")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n")


def select(ranked: Sequence[Passage], *, k: int, tokens: int) -> tuple[Passage, ...]:
    """At most k passages of `tokens` in all, in their order. The best one stays, shortened if it must be.

    A candidate that repeats a better one is left out, and one that continues a better one becomes part of it,
    so both make room for others. One that does not fit is passed over: a shorter one may.
    """
    chosen: list[_Candidate] = []
    for n, candidate in enumerate(map(_Candidate, ranked[: FAR * k])):
        if len(chosen) == k and n >= NEARBY * k:
            break
        room = tokens - sum(each.tokens for each in chosen)
        if candidate.tokens > room:
            if not chosen:
                chosen.append(_Candidate(_shorten(candidate.passage, tokens)))
            continue
        neighbours = [each for each in chosen if joined(each.passage, candidate.passage)]
        if (not neighbours and len(chosen) == k) or any(candidate.repeats(each) for each in chosen):
            continue
        chosen = _join(chosen, neighbours, candidate) if neighbours else [*chosen, candidate]
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
    def spelled(self) -> list[str]:
        return _TOKENS.findall(self.passage.text)

    @cached_property
    def words(self) -> list[str]:
        text = self.passage.text
        return self.spelled if text == text.lower() else " ".join(self.spelled).lower().split(" ")

    @cached_property
    def names(self) -> frozenset[str]:
        """What manuals of two products differ in: words with a digit, an underscore or a capital inside."""
        longer = (word for word in set(self.spelled) if len(word) > 1 or word.isdigit())
        return frozenset(word for word in longer if not word.isalpha() or word[1:] != word[1:].lower())

    @cached_property
    def count(self) -> int:
        """Of shingles; a text that is too short for one is one as it is."""
        return max(1, len(self.words) - SHINGLE + 1)

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        return frozenset(self._every(1))

    @cached_property
    def sample(self) -> list[tuple[str, ...]]:
        return list(self._every(max(1, self.count // SAMPLED)))

    def _every(self, step: int) -> Iterator[tuple[str, ...]]:
        return (tuple(self.words[at : at + SHINGLE]) for at in range(0, self.count, step))

    def repeats(self, other: "_Candidate") -> bool:
        """Nearly the same words, and exactly the same names and numbers."""
        mine, others = self.passage.text, other.passage.text
        if mine == others:
            return True
        if not 0.8 < (len(mine) + 1) / (len(others) + 1) < 1.25:
            return False
        return self._shares(other) >= ALIKE and self.names == other.names

    def _shares(self, other: "_Candidate") -> float:
        """Of all shingles of both the part that both have, as a sample of the own ones tells."""
        shared = sum(map(other.shingles.__contains__, self.sample)) / len(self.sample) * self.count
        return shared / (self.count + other.count - shared)


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
