"""Verdicts: a fault's figures name its stage; what is not sure, or not known, is not called broken."""

from typing import Any

import pytest

from e2e.latency.budgets import budgets
from e2e.latency.sample import Run, Sample
from e2e.latency.scenario import load
from e2e.latency.verdict import judge
from tests.e2e_latency.made import DIRECT, judged, run, sample

SLOWER: dict[str, Any] = {"ttft": 470.0, "beyond_direct": 258.0}  # whatever the fault


def test_a_healthy_run_breaks_nothing() -> None:
    found = judged(run(), beyond_direct_p50=130, ttfs_p95=250)
    assert {finding.state for finding in found.values()} == {"held"}
    assert found["ttfs_p95"].sentence == "ttfs_p95 is 70.4 [70.3, 70.4] (n=24), budget 250"


@pytest.mark.parametrize(
    ("stage", "figures"),
    [
        ("send", {"send": 200}),
        ("queue", {"queue": 190}),
        ("history", {"history": 250}),
        ("embed", {"embed": 230}),
        ("dense", {"dense": 155}),
        ("route", {"route": 150}),
        ("prompt", {"prompt": 160}),
        ("connect", {"connect": 140}),
        ("prefill", {"prefill": 420}),
        ("gap", {"gap": 150}),
        ("deliver", {"deliver": 200}),
        ("render", {"render": 150}),
        ("loop", {"loop": 205, "prompt": 200}),
        ("calls", {"calls": 1, "gap": 180}),
    ],
)
def test_the_stage_that_took_long_is_named_first(stage: str, figures: dict[str, Any]) -> None:
    found = judged(run(**(SLOWER | figures)), beyond_direct_p50=130)["beyond_direct_p50"]
    assert found.state == "broken"
    assert found.blamed[0].startswith(f"{stage}: ")
    assert found.blamed[0] in found.sentence
    assert "budget 130: " in found.sentence


def test_a_gap_says_between_which_stages_it_lies() -> None:
    found = judged(run(**SLOWER, gap=150.0), beyond_direct_p50=130)["gap_p50"]
    assert "between dense and prompt" in found.sentence


def test_the_longest_of_several_comes_first_and_no_more_than_three_are_named() -> None:
    found = judged(run(**SLOWER, embed=100, dense=300, history=90, queue=70), beyond_direct_p50=130)
    blamed = found["beyond_direct_p50"].blamed
    assert [one.partition(":")[0] for one in blamed] == ["dense", "queue", "history"]


def test_what_comes_after_the_sources_is_no_reason_for_them() -> None:
    found = judged(run(**SLOWER, ttfp=300, ttfs=400, queue=60, embed=90, deliver=350),
                   ttfp_p50=100, ttfs_p50=250, beyond_direct_p50=130)  # fmt: skip
    blamed = {name: [one.partition(":")[0] for one in finding.blamed] for name, finding in found.items()}
    assert blamed["ttfp_p50"] == ["queue"]
    assert blamed["ttfs_p50"] == ["queue", "embed"]
    assert blamed["beyond_direct_p50"] == ["deliver", "queue", "embed"]


def test_a_slow_model_is_nobodys_fault() -> None:
    """It is as slow when it is asked directly."""
    found = judged(run(prefill=2_000 + 201, direct=2_000 + DIRECT, ttft=2_270), ttft_p50=500)
    assert found["prefill_p50"].state == "held"
    assert found["ttft_p50"].state == "broken"
    assert found["ttft_p50"].blamed == ()
    assert found["ttft_p50"].sentence.endswith(": no stage that could be why is above its own budget")


def test_a_figure_whose_interval_reaches_below_the_budget_is_unsure() -> None:
    samples = tuple(sample(n, ttft=200 if n % 2 else 400) for n in range(9))
    found = judged(Run("unsteady", "", "browser", "sim", samples), ttft_p50=300)
    assert found["ttft_p50"].state == "unsure"


def test_a_scenarios_own_budget_for_a_stage_stands_for_the_usual_one() -> None:
    slow: dict[str, Any] = {**SLOWER, "prefill": 700}
    assert judged(run(**slow))["prefill_p50"].state == "broken"
    found = judge(run(**slow), budgets({"prefill_p50": 800, "beyond_direct_p50": 130}), load()[1])
    by_name = {finding.budget.name: finding for finding in found}
    assert len(by_name) == len(found)
    assert (by_name["prefill_p50"].state, by_name["prefill_p50"].budget.limit) == ("held", 800)
    assert by_name["beyond_direct_p50"].blamed == ()


def test_what_was_not_measured_is_unknown_and_not_held() -> None:
    found = judged(run(direct=None), added_ttft_p50=100)
    assert found["added_ttft_p50"].state == "unknown"
    assert found["added_ttft_p50"].sentence == (
        "added_ttft_p50: nothing was measured, so its budget of 100 says nothing"
    )
    assert "prefill_p50" not in found  # nothing to compare it with


def test_turns_that_nobody_waited_for_do_not_count() -> None:
    hidden = tuple(sample(n, left_out="its tab was hidden", ttft=9_000) for n in range(5))
    seen = tuple(sample(n) for n in range(5))
    assert judged(Run("mixed", "", "browser", "sim", hidden + seen), ttft_p95=500)["ttft_p95"].state == "held"
    only_hidden = judge(Run("hidden", "", "browser", "sim", hidden), budgets({"ttft_p95": 500}), load()[1])
    assert [finding.state for finding in only_hidden] == ["unknown"]


def test_a_run_that_was_refused_has_no_verdict_but_that() -> None:
    assert judged(run(refused="its own sending lagged", **SLOWER), ttft_p50=100) == {}


def test_a_run_of_nothing_has_no_verdict() -> None:
    empty: tuple[Sample, ...] = ()
    found = judge(Run("empty", "", "browser", "sim", empty), budgets({"ttft_p95": 1}), load()[1])
    assert [finding.state for finding in found] == ["unknown"]
