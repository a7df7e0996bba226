"""Percentiles with the interval in which they would lie again: seeded bootstrap, the same every time.

Of few values a high percentile is known badly, and its interval says too little of what lies above: of 20
values, p95's holds the true one 6 times in 10. It errs towards too low, so what it calls broken is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ROUNDS = 2_000
SEED = 20_261_201
CONFIDENCE = 95  # per cent of the resampled percentiles lie in the interval
CERTAINTY = 99  # the same for a difference: of hundreds, a twentieth would be news by chance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A percentile of `n` values, and its interval."""

    p: int
    n: int
    mid: float
    low: float
    high: float


def figure(values: Sequence[float], p: int) -> Figure:
    """ValueError for no values: nothing is no figure."""
    known = np.asarray(values, dtype=float)
    if not known.size:
        raise ValueError("no values, no percentile")
    low, high = _interval(_resampled(known, p), CONFIDENCE)
    return Figure(p, int(known.size), _round(_percentile(known, p)), low, high)


def change(before: Sequence[float], after: Sequence[float], p: int) -> Figure:
    """By how much a percentile differs between two runs; beyond noise when its interval leaves out 0."""
    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if not (old.size and new.size):
        raise ValueError("no values, no difference")
    low, high = _interval(_resampled(new, p, SEED + 1) - _resampled(old, p), CERTAINTY)
    mid = _percentile(new, p) - _percentile(old, p)
    return Figure(p, int(min(old.size, new.size)), _round(mid), low, high)


def _resampled(values: Floats, p: int, seed: int = SEED) -> Floats:
    picks = np.random.default_rng(seed).integers(0, values.size, (ROUNDS, values.size))
    found: Floats = np.percentile(values[picks], p, axis=1)
    return found


def _percentile(values: Floats, p: int) -> float:
    return float(np.percentile(values, p))


def _interval(found: Floats, share: float) -> tuple[float, float]:
    tail = (100 - share) / 2
    low, high = np.percentile(found, [tail, 100 - tail])
    return _round(float(low)), _round(float(high))


def _round(value: float) -> float:
    return round(value, 2)
