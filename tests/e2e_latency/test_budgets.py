"""Names of budgets: read, or refused with what would be right."""

import pytest

from app.measures import MEASURES
from e2e.latency.budgets import KNOWN, Budget, budgets


def test_a_name_says_measure_and_percentile() -> None:
    assert budgets({"ttft_p95": 800, "stall_max_p50": 1.5, "calls_p99": 0}) == [
        Budget("ttft", 95, 800.0),
        Budget("stall_max", 50, 1.5),
        Budget("calls", 99, 0.0),
    ]
    assert budgets({"ttft_p95": 800})[0].name == "ttft_p95"


def test_every_measure_of_a_turn_may_have_one() -> None:
    assert {one.measure for one in budgets({f"{name}_p50": 1 for name in MEASURES})} == set(MEASURES)
    assert "deliver" in KNOWN


@pytest.mark.parametrize(
    "name", ["ttft", "ttft_p90", "ttff_p95", "p95", "", "ttft_p", "ttft_p95 ", "TTFT_p95"]
)
def test_another_name_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match="is no budget") as error:
        budgets({name: 100})
    assert repr(name) in str(error.value)
    assert "ttfp" in str(error.value)
    assert "95" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf"), "100", None, True])
def test_a_limit_is_a_time(limit: float) -> None:
    with pytest.raises(ValueError, match="it takes milliseconds from 0 on"):
        budgets({"ttft_p95": limit})
