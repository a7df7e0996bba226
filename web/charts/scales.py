"""From values to places: linear and logarithmic scales, with ticks at 1, 2 and 5 times powers of ten."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FARTHEST = 1e15  # beyond it nothing was measured, and differences are no longer exact


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` lie between the places `start` and `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = map(self._bent, (self.low, self.high, value))
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def _bent(self, value: float) -> float:
        return math.log10(value) if self.log else value


def usable(value: float) -> bool:
    """Neither NaN nor infinite, nor absurd."""
    return math.isfinite(value) and abs(value) <= FARTHEST


def reach(values: Iterable[float], *, zero: bool = True) -> tuple[float, float]:
    """Where a linear axis begins and ends: at a tick each, never at the same, with zero if it may."""
    kept = [value for value in values if usable(value)] or [0.0]
    low, high = min(kept), max(kept)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = (low, low + 1) if zero else (low - 1, high + 1)
    step = step_for(low, high)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def reach_log(values: Iterable[float]) -> tuple[float, float]:
    """The same for a logarithmic axis, whose ends are 1, 2 or 5 times a power of ten."""
    kept = [value for value in values if usable(value) and value > 1e-15] or [1.0]
    low, high = _rounded(min(kept), down=True), _rounded(max(kept), down=False)
    return (low, high) if high > low * 1.5 else (low / 2, high * 2)


def step_for(low: float, high: float, most: int = 5) -> float:
    """The smallest of 1, 2, 5 × 10^n that cuts the range into at most `most` parts."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    step = step_for(low, high, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def ticks_log(low: float, high: float, most: int = 7) -> list[float]:
    """1, 2, 5 of each decade, or only the decades, or every few of them."""
    decades = range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [f * 10.0**d for d in decades for f in factors if low * 0.999 <= f * 10.0**d <= high * 1.001]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def tidy(value: float) -> str:
    """12,000 · 340 · 2.5 · 0.04 · 3M: three figures are all that a reader takes in."""
    if value < 0:
        return "−" + tidy(-value)
    if value >= 1e9 or 0 < value < 1e-3:
        return f"{value:.2g}"
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def percent_ticks(most: float, of: Sequence[float] = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)) -> list[float]:
    """The percentiles, as shares, that `most` = 1/(1-p) reaches."""
    return [share for share in of if 1 / (1 - share) <= most * 1.001]


def _rounded(value: float, *, down: bool) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    steps = [power * factor for factor in (1, 2, 5, 10)]
    if down:
        return max(step for step in steps if step <= value * (1 + 1e-9))
    return min(step for step in steps if step >= value * (1 - 1e-9))
