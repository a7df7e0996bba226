"""Figures: what an interval holds, how often, and that nothing is no figure."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from e2e.bench.figures import percentile
from e2e.latency.figures import change, figure

TIMES = st.lists(st.floats(0, 60_000, allow_nan=False), min_size=1, max_size=40)
PERCENTILES = st.sampled_from([50, 95, 99])


@settings(max_examples=40, deadline=None)
@given(TIMES, PERCENTILES)
def test_a_figure_lies_within_what_was_measured_and_is_always_the_same(values: list[float], p: int) -> None:
    found = figure(values, p)
    assert found == figure(values, p)
    assert (found.p, found.n) == (p, len(values))
    assert min(values) - 0.01 <= found.low <= found.high <= max(values) + 0.01
    assert min(values) - 0.01 <= found.mid <= max(values) + 0.01


@settings(max_examples=40, deadline=None)
@given(TIMES, st.integers(1, 1_000), PERCENTILES)
def test_what_is_slower_by_as_much_everywhere_differs_by_that(values: list[float], by: int, p: int) -> None:
    assert change(values, [value + by for value in values], p).mid == pytest.approx(by, abs=0.02)


def test_values_that_never_differ_leave_no_doubt() -> None:
    found = figure([7.0] * 5, 95)
    assert (found.low, found.mid, found.high) == (7, 7, 7)
    by = change([7.0] * 5, [9.5] * 5, 50)
    assert (by.low, by.mid, by.high) == (2.5, 2.5, 2.5)


def test_a_nearest_rank_is_the_least_that_enough_values_reach() -> None:
    hundred = list(range(1, 101))
    assert [percentile(hundred, p) for p in (0, 50, 95, 99, 100)] == [1, 50, 95, 99, 100]
    assert [percentile(list(range(1, 21)), p) for p in (50, 95, 99)] == [10, 19, 20]
    assert [percentile([7.0], p) for p in (1, 50, 99)] == [7, 7, 7]
    assert math.isnan(percentile([], 50))


def test_nothing_is_no_figure() -> None:
    with pytest.raises(ValueError, match="no values"):
        figure([], 50)
    for before, after in ([], [1.0]), ([1.0], []):
        with pytest.raises(ValueError, match="no values"):
            change(before, after, 50)


def draws(n: int, seed: int) -> list[float]:
    """Waits as they are: none negative, some long. Their median is 100, their p95 163.8."""
    found: list[float] = np.random.default_rng(seed).lognormal(np.log(100), 0.3, n).tolist()
    return found


def test_the_true_median_lies_in_nearly_every_interval() -> None:
    found = [figure(draws(20, seed), 50) for seed in range(100)]
    assert sum(one.low <= 100 <= one.high for one in found) >= 88


def test_a_high_percentile_of_few_is_rarely_called_too_high() -> None:
    found = [figure(draws(12, seed), 95) for seed in range(100)]
    assert sum(one.low > 163.8 for one in found) <= 5


def test_chance_is_seldom_a_change_and_a_fifth_more_is_one() -> None:
    by_chance = [change(draws(20, seed), draws(20, 1_000 + seed), 50) for seed in range(100)]
    assert sum(one.low > 0 or one.high < 0 for one in by_chance) <= 4
    slower = change(draws(100, 1), [1.3 * value for value in draws(100, 2)], 50)
    assert slower.low > 0
