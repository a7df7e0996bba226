"""Which units of the passages bear on a question, or that none does.

A unit is worth the share of the question's weight that its terms cover: a term weighs the more the fewer
units have it. Its neighbours, its passage and the passage's rank add to the order, never to whether
anything was found. Knows nothing of how a choice is shown.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

from dev.standin.reading import Passage
from dev.standin.sentences import Unit, units
from dev.standin.terms import is_chinese, is_general, terms, vocabulary

MOST = 4  # units in an answer
# The least share of the question's weight that the best unit and its passage must cover. Lower for Chinese:
# bigrams across the edges of words dilute what is shared.
FOUND, FOUND_CHINESE = 0.25, 0.17
CLOSE = 0.62  # a further unit's worth, relative to the best
_GENERAL_WEIGHT = 0.4
_NUMERIC = re.compile(
    r"\b(?:how (?:many|much|old|long|far|tall|large|big|high)|when"
    r"|(?:what|which) (?:year|date|percent\w*|decade|century))\b"
    r"|多少|几|何时|什么时候|哪一?年|哪天|日期|比例|多大|多高|多长|多久",
    re.IGNORECASE,
)
_PRACTICAL = re.compile(r"\bhow (?:do|does|can|could|should|would|to)\b|怎么|怎样|如何", re.IGNORECASE)
_FITS = 0.08  # a number where one is asked for, a command where it is asked how


@dataclass(frozen=True, slots=True)
class Chosen:
    """`place` is the unit's index within its passage."""

    passage: Passage
    unit: Unit
    place: int
    worth: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    passage: Passage
    unit: Unit
    place: int
    rank: int
    words: frozenset[str]

    @property
    def heading(self) -> str:
        return self.unit.heading or self.passage.section


def choose(question: str, passages: tuple[Passage, ...]) -> list[Chosen]:
    """The units to quote, in reading order; empty when nothing bears on the question."""
    candidates = _candidates(passages)
    weights = _weigh(dict.fromkeys(terms(question)), candidates)
    if not candidates or not weights:
        return []
    scope = _Scope(weights, candidates, question)
    ranked = sorted(candidates, key=scope.worth, reverse=True)
    if scope.coverage(ranked[0]) < (FOUND_CHINESE if is_chinese(question) else FOUND):
        return []
    best = scope.worth(ranked[0])
    kept = [
        one
        for one in ranked[:MOST]
        if scope.worth(one) >= CLOSE * best and scope.own(one) + scope.under(one) > 0
    ]
    kept.sort(key=lambda one: (one.rank, one.place))
    return [Chosen(one.passage, one.unit, one.place, scope.worth(one)) for one in kept]


def _candidates(passages: tuple[Passage, ...]) -> list[_Candidate]:
    return [
        _Candidate(passage, unit, place, rank, vocabulary(unit.text))
        for rank, passage in enumerate(passages)
        for place, unit in enumerate(units(passage.text))
    ]


def _weigh(asked: dict[str, None], candidates: list[_Candidate]) -> dict[str, float]:
    """Each term's rarity among the units, as inverse document frequency."""
    spread = Counter(term for one in candidates for term in one.words & asked.keys())
    rarity = {term: math.log(1 + len(candidates) / (spread[term] + 0.5)) for term in asked}
    return {term: rare * (_GENERAL_WEIGHT if is_general(term) else 1) for term, rare in rarity.items()}


class _Scope:
    """One question's view of all candidates; every share is of the question's whole weight."""

    def __init__(self, weights: dict[str, float], candidates: list[_Candidate], question: str) -> None:
        self._weights = weights
        self._total = sum(weights.values())
        signs = ((_NUMERIC, r"\d"), (_PRACTICAL, "`"))
        self._fitting = "|".join(sign for asks, sign in signs if asks.search(question))
        self._at = {(one.rank, one.place): one for one in candidates}
        self._around: dict[int, set[str]] = {}
        for one in candidates:
            named = vocabulary(f"{one.heading} {one.passage.title}")
            self._around.setdefault(one.rank, set()).update(one.words, named)

    def own(self, one: _Candidate) -> float:
        return self._share(one.words)

    def worth(self, one: _Candidate) -> float:
        beside = max(self._beside(one, -1), 0.6 * self._beside(one, 1))
        above = 0.3 * self.under(one) + (0.5 if self._opens(one) else 0.3) * self._heading(one)
        fits = _FITS if self._fitting and re.search(self._fitting, one.unit.text) else 0.0
        around = 0.35 * self._share(self._around[one.rank])
        return self.own(one) + 0.3 * beside + above + around + fits + 0.05 / (1 + one.rank)

    def under(self, one: _Candidate) -> float:
        """What its heading adds to it."""
        return self._share(vocabulary(one.heading) - one.words)

    def _heading(self, one: _Candidate) -> float:
        return self._share(vocabulary(one.heading))

    def _opens(self, one: _Candidate) -> bool:
        """Whether it is the first under its heading: sections begin with what they are about."""
        before = self._at.get((one.rank, one.place - 1))
        return before is None or before.heading != one.heading

    def coverage(self, one: _Candidate) -> float:
        return 0.5 * (self.own(one) + self.under(one) + self._share(self._around[one.rank]))

    def _beside(self, one: _Candidate, step: int) -> float:
        """What the sentence beside it adds; list items and rows stand for themselves."""
        neighbour = self._at.get((one.rank, one.place + step))
        if neighbour is None or one.unit.kind in ("item", "row"):
            return 0.0
        return self._share(neighbour.words - one.words)

    def _share(self, words: frozenset[str] | set[str]) -> float:
        return sum(self._weights[term] for term in self._weights.keys() & words) / self._total
