"""The line under an answer: the reader's own times where they are known, and nothing that there was not."""

import pytest

from app.events import Failed, Finished, Routed, Usage
from app.measures import Paint
from web.facts import Facts, facts

TIMINGS = {"ttft": 200.0, "decode": 500.0, "total": 700.0}
WHOLE = Finished(True, "large", "standard", Usage(100, 11), TIMINGS)
ROUTED = Routed("standard", "large", "why")
SEEN = Paint(sent=1.0, got=9.0, end=760.0, ttfp=20.0, ttft=240.0, last=755.0)


def test_without_a_browser_the_times_are_the_servers() -> None:
    assert facts(WHOLE, ROUTED, None) == Facts(
        False, 200.0, 700.0, 20.0, "large", "standard", "why", "", True
    )


def test_with_one_they_are_the_readers() -> None:
    found = facts(WHOLE, ROUTED, SEEN)
    assert (found.seen, found.first_token, found.total, found.pace) == (True, 240.0, 760.0, 20.0)


@pytest.mark.parametrize("how", ["hidden", "resumed"])
def test_nobody_waits_for_a_tab_that_is_out_of_sight(how: str) -> None:
    paint = Paint(sent=1.0, got=9.0, end=760.0, ttft=240.0, last=755.0, **{how: True})
    assert facts(WHOLE, ROUTED, paint) == facts(WHOLE, ROUTED, None)


def test_an_answer_that_came_to_its_limit_says_so() -> None:
    assert not facts(WHOLE, ROUTED, None).cut
    assert facts(Finished(False, "m", "r", reason="length"), ROUTED, None).cut


def test_what_failed_has_what_it_has() -> None:
    failed = Failed("upstream_refused", "No.", False, {"total": 30.0})
    assert facts(failed, ROUTED, None) == Facts(False, None, 30.0, None, "large", "standard", "why", "", None)
    assert facts(Failed("internal", "No.", True), None, None) == Facts(
        False, None, None, None, "", "", "", "", None
    )


@pytest.mark.parametrize(
    ("tokens", "decode"), [(0, 500.0), (1, 500.0), (11, 0.0)], ids=["uncounted", "one", "at once"]
)
def test_there_is_no_pace_in_one_token_or_no_time(tokens: int, decode: float) -> None:
    end = Finished(False, "m", "r", Usage(1, tokens), {"ttft": 1.0, "decode": decode})
    assert facts(end, None, None).pace is None
