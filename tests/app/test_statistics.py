"""What many turns say together: percentiles with their n, budgets, goodput, and what holds them back."""

import statistics as reference
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import BUDGETS, MEASURES, Rendered
from app.statistics import (
    Culprit,
    Goodput,
    Sample,
    budgets,
    diagnose,
    first_token,
    goodput,
    grouped,
    percentile,
    percentiles,
    sample,
    slowest,
    summary,
)
from app.statistics.diagnosis import FEWEST
from tests.measured import a_paint, a_record

NOON = 1_796_126_400.0  # 2026-12-01 12:00 UTC
DAY = 86_400.0
TIMES = st.lists(st.floats(0, 1e6), min_size=2, max_size=200)


def a_sample(
    *,
    painted: bool = True,
    hidden: bool = False,
    resumed: bool = False,
    created: float = NOON,
    **figures: Any,
) -> Sample:
    record = a_record(**figures)
    paint = a_paint(record, hidden=hidden, resumed=resumed) if painted else None
    return sample(record, paint, None, created)


@given(TIMES)
def test_a_percentile_is_what_everybody_else_calls_one(values: list[float]) -> None:
    cuts = reference.quantiles(values, n=100, method="inclusive")
    found = percentiles(values)
    assert found is not None
    assert found.n == len(values)
    assert [found.p50, found.p95, found.p99] == pytest.approx([cuts[49], cuts[94], cuts[98]])


def test_percentiles_of_one_value_and_of_none() -> None:
    assert percentile([7.0], 0.99) == 7.0
    assert percentiles([]) is None


def test_a_sample_has_the_browsers_wait_and_its_parts() -> None:
    one = a_sample(prefill=300, search=40, own=10, tokens=11, pace=20)
    assert first_token(one) == one.values["ttft"] == 354
    assert one.values["added_ttft"] == 14  # ours, and the way to the browser
    assert (one.values["upstream_ttft"], one.values["search"], one.values["tpot"]) == (300, 40, 20)
    assert (one.painted, one.left_out, one.failed) == (True, False, False)
    assert (one.day, one.prompt_tokens) == ("2026-12-01", 500)


def test_without_a_browser_the_server_says_what_it_knows() -> None:
    one = a_sample(painted=False, prefill=300, search=40, own=10)
    assert (one.values["server_ttft"], one.values["server_added_ttft"]) == (350, 10)
    assert first_token(one) == 350
    assert "ttft" not in one.values
    assert (one.painted, one.left_out) == (False, False)


@pytest.mark.parametrize("why", ["hidden", "resumed"])
def test_nobody_waits_for_what_is_out_of_sight(why: str) -> None:
    one = a_sample(**{why: True})
    assert (one.painted, one.left_out) == (False, True)
    assert not {"ttfp", "ttfs", "ttft", "added_ttft"} & one.values.keys()
    assert one.values["server_tpot"] == 10  # the model's pace is true all the same


def test_drawing_counts_where_this_process_drew() -> None:
    record = a_record()
    assert sample(record, None, Rendered(first=1.5, total=9), NOON).values["render"] == 1.5


def test_a_summary_has_every_measure_and_stage_in_order() -> None:
    found = summary([a_sample(prefill=ms) for ms in (100, 200, 300)] + [a_sample(painted=False)])
    names = list(found)
    assert names[: len(MEASURES)] == list(MEASURES)
    assert names[len(MEASURES) :] == [
        *("embed", "dense", "search", "prefill", "decode", "own"),
        *("server_ttft", "server_added_ttft", "server_tpot", "server_stall_max", "server_total"),
    ]
    assert (found["ttft"].n, found["ttft"].p50) == (3, 234)
    assert (found["upstream_ttft"].n, found["upstream_ttft"].p50) == (4, 200)


def test_groups_are_the_largest_first_and_days_the_newest() -> None:
    turns = [a_sample(route="small"), a_sample(route="large"), a_sample(route="large", cached=True)]
    turns.append(a_sample(route="old", created=NOON - DAY))
    assert [(name, len(group)) for name, group in grouped(turns, "route").items()] == [
        ("large", 2),
        ("old", 1),
        ("small", 1),
    ]
    assert list(grouped(turns, "day")) == ["2026-12-01", "2026-11-30"]
    assert {name: len(group) for name, group in grouped(turns, "cached").items()} == {"fresh": 3, "cached": 1}
    assert list(grouped(turns, "model")) == ["large"]


def test_goodput_is_the_share_that_met_every_budget() -> None:
    good, late, slow = a_sample(), a_sample(prefill=2_000), a_sample(pace=80)
    assert goodput([good, late, slow, good]) == Goodput(4, 2)
    assert goodput([good, late]).share == 0.5
    assert goodput([]).share is None


def test_what_failed_is_not_good_and_what_nobody_saw_is_not_judged() -> None:
    assert goodput([a_sample(failed="upstream_cut", painted=False)]) == Goodput(1, 0)
    assert goodput([a_sample(failed="upstream_cut")]) == Goodput(1, 0)
    assert goodput([a_sample(failed="stopped")]) == Goodput(1, 1)
    assert goodput([a_sample(painted=False), a_sample(hidden=True)]) == Goodput(0, 0)


def test_a_broken_budget_names_who_broke_it() -> None:
    turns = [a_sample() for _ in range(17)]
    turns += [a_sample(route="deep", model="huge", prefill=1_500) for _ in range(2)]
    turns.append(a_sample(prefill=1_200))
    found = {budget.measure: budget for budget in budgets(turns)}
    assert list(found) == list(BUDGETS)
    ttft = found["ttft"]
    assert (ttft.n, ttft.broken, ttft.limit, ttft.kept) == (20, 3, 1_000, False)
    assert ttft.culprits == (Culprit("deep", "huge", 2, 2), Culprit("standard", "large", 18, 1))
    assert (found["tpot"].broken, found["tpot"].kept, found["tpot"].culprits) == (0, True, ())


def test_a_budget_is_kept_when_p95_is_and_when_nobody_can_say() -> None:
    turns = [a_sample() for _ in range(99)] + [a_sample(prefill=5_000)]
    ttft = {budget.measure: budget for budget in budgets(turns)}["ttft"]
    assert (ttft.broken, ttft.kept) == (1, True)
    assert [(budget.n, budget.p95, budget.kept) for budget in budgets([])] == [(0, None, True)] * len(BUDGETS)


@pytest.mark.parametrize(
    ("part", "over", "figures"),
    [
        ("prefill", True, {"prefill": 1_500}),
        ("prefill", False, {"prefill": 500}),
        ("decode", True, {"pace": 90}),
        ("decode", True, {"pace": 120, "prefill": 1_500}),  # 2.4 times its budget, the wait only 1.5
        ("decode", False, {"pace": 45}),
        ("retrieval", True, {"search": 1_200}),
        ("own", True, {"own": 1_200}),
        ("own", False, {"own": 400, "prefill": 300}),
    ],
)
def test_the_diagnosis_names_what_is_farthest_from_its_budget(
    part: str, over: bool, figures: dict[str, Any]
) -> None:
    found = diagnose([a_sample(**figures) for _ in range(FEWEST)])
    assert (found.part, found.over, found.n) == (part, over, FEWEST)
    assert found.ttft is not None
    assert found.ttft.p95 > found.parts["prefill"].p95


def test_the_tail_decides_and_not_the_middle() -> None:
    turns = [a_sample() for _ in range(30)] + [a_sample(own=2_000) for _ in range(4)]
    found = diagnose(turns)
    assert (found.part, found.over) == ("own", True)
    assert found.parts["own"].p50 < found.parts["prefill"].p50


def test_a_few_turns_are_no_evidence() -> None:
    found = diagnose([a_sample(prefill=3_000) for _ in range(FEWEST - 1)])
    assert (found.part, found.over, found.n) == (None, False, FEWEST - 1)
    assert diagnose([]).ttft is None


def test_the_diagnosis_leaves_out_what_no_model_answered_and_what_nobody_waited_for() -> None:
    turns = [a_sample(prefill=500) for _ in range(FEWEST)]
    turns += [a_sample(cached=True, own=9_000), a_sample(hidden=True, prefill=9_000)]
    assert diagnose(turns) == diagnose(turns[:FEWEST])


def test_the_diagnosis_needs_no_browser() -> None:
    found = diagnose([a_sample(painted=False, prefill=1_500) for _ in range(FEWEST)])
    assert (found.part, found.over) == ("prefill", True)


def test_the_slowest_come_first_and_only_those_that_somebody_waited_for() -> None:
    turns = [a_sample(prefill=ms) for ms in (100, 900, 500)] + [a_sample(hidden=True, prefill=5_000)]
    assert slowest(turns, 2) == [1, 2]
    assert slowest(turns, 9) == [1, 2, 0]
