"""Percentiles, as everything here reports them."""

from collections.abc import Sequence


def percentile(values: Sequence[float], p: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(p / 100 * len(ordered) + 0.5) - 1))]
