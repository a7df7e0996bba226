"""What a study is: answers by variant, and what may be claimed of them. Knows no model and no paper."""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from e2e.lab.asking import Answer

Rows = Mapping[str, Sequence[Answer]]  # by variant, in the order in which they are shown
LEAST_ROUNDS = 3
SEED = 20_261_201


@dataclass(frozen=True, slots=True)
class Claim:
    """Something the lab must show again each time, or it ends with an error."""

    words: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Study:
    name: str
    measure: Callable[["Pace"], Rows]
    claims: Callable[[Rows], Sequence[Claim]]
    share: int = 1  # of the time there is


@dataclass(frozen=True, slots=True)
class Pace:
    """At most `rounds` of them, and none begun that would likely end after `seconds`; three at the least."""

    rounds: int
    seconds: float

    def __iter__(self) -> Iterator[random.Random]:
        """A source of chance for each round, the same in every run."""
        start = begun = time.monotonic()
        longest = 0.0
        for n in range(self.rounds):
            now = time.monotonic()
            longest, begun = max(longest, now - begun), now
            if n >= LEAST_ROUNDS and now - start + longest > self.seconds:
                return
            yield random.Random(SEED + n)


def shuffled(chance: random.Random, variants: Sequence[str]) -> Sequence[str]:
    return chance.sample(variants, len(variants))


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of `n` values, and the least and the most of them."""

    p50: float
    least: float
    most: float
    n: int


def spread(values: Sequence[float]) -> Spread:
    known = [value for value in values if isfinite(value)]
    if not known:
        return Spread(float("nan"), float("nan"), float("nan"), 0)
    return Spread(statistics.median(known), min(known), max(known), len(known))


def ttft(answers: Sequence[Answer]) -> Spread:
    return spread([answer.ttft for answer in answers])


def tpot(answers: Sequence[Answer]) -> Spread:
    return spread([answer.tpot for answer in answers])


def total(answers: Sequence[Answer]) -> Spread:
    return spread([answer.total for answer in answers])


def tokens(answers: Sequence[Answer]) -> dict[str, int]:
    """Medians of what went in, what of it was remembered, and what came out."""
    return {
        "prompt_tokens": round(statistics.median(each.prompt_tokens for each in answers)),
        "cached_tokens": round(statistics.median(each.cached_tokens for each in answers)),
        "output_tokens": round(statistics.median(each.output_tokens for each in answers)),
    }


def figures(rows: Rows) -> dict[str, dict[str, Any]]:
    return {
        variant: tokens(answers) | {
            "ttft_ms": _rounded(ttft(answers)), "tpot_ms": _rounded(tpot(answers)),
            "total_ms": _rounded(total(answers)), "n": len(answers),
        }
        for variant, answers in rows.items()
    }


def _rounded(found: Spread) -> dict[str, float | None]:
    kept = {"p50": found.p50, "least": found.least, "most": found.most}
    return {name: round(value, 1) if isfinite(value) else None for name, value in kept.items()}
