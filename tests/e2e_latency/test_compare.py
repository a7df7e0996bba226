"""Comparison: what changed is said, chance is not, and what cannot be compared is."""

from typing import Any

from e2e.latency.compare import changes, not_compared
from tests.e2e_latency.made import result, run


def test_nothing_changed_between_a_result_and_itself() -> None:
    one = result(run(), run("other"))
    assert changes(one, one) == []
    assert not_compared(one, one) == []


def test_what_became_slower_is_said_with_its_interval_the_largest_first() -> None:
    found = changes(result(run()), result(run(dense=65, ttft=330)))
    assert [(one.measure, one.by.p) for one in found] == [
        ("dense", 50), ("dense", 95), ("ttft", 50), ("ttft", 95),
    ]  # fmt: skip
    assert found[0].sentence == "made: dense_p50 is 60 ms slower [59.8, 60.2] than 5.2 ms"


def test_what_became_faster_too() -> None:
    found = changes(result(run(embed=90)), result(run()))
    assert found[0].sentence == "made: embed_p50 is 60 ms faster [59.8, 60.2] than 90.2 ms"


def test_a_change_that_nobody_could_tell_is_no_news() -> None:
    assert changes(result(run(ttft=270)), result(run(ttft=272))) == []
    assert changes(result(run(ttft=2_000)), result(run(ttft=2_090))) == []


def test_one_more_call_to_the_model_is() -> None:
    found = changes(result(run()), result(run(calls=1)))
    assert found[0].sentence == "made: calls_p50 is 1 more [1, 1] than 0"


def test_a_model_that_became_slower_is_told_from_prelude() -> None:
    found = changes(result(run()), result(run(direct=300, ttft=358)))
    assert "made: direct_p50 (the model itself, asked directly) is 88 ms slower" in found[0].sentence


def test_a_high_percentile_of_few_turns_is_not_compared() -> None:
    found = changes(result(run(turns=12)), result(run(turns=12, ttft=900)))
    assert [(one.measure, one.by.p) for one in found] == [("ttft", 50)]
    assert changes(result(run(turns=4)), result(run(turns=4, ttft=900))) == []


def test_only_the_same_scenario_is_compared_and_the_rest_is_said() -> None:
    before = result(run(), run("late", refused="it lagged"), run("other"), machine="8 cores")
    slow: dict[str, Any] = {"ttft": 900.0}
    after = result(run(upstream="sim-ttft800", **slow), run("late", **slow), run("new", **slow))
    assert changes(before, after) == []
    assert not_compared(before, after) == [
        "new: the earlier result has no such scenario",
        "made: it was browser sim-ttft200, and is browser sim-ttft800",
        "late: a run that was refused is not compared",
        "the earlier result is of another machine (8 cores)",
    ]
