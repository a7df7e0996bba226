"""Percentiles, as everything here reports them."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], p: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    rank = math.ceil(round(p * len(ordered) / 100, 9))  # rounded: 1.1 * 10 is more than 11
    return ordered[min(len(ordered), max(1, rank)) - 1]
