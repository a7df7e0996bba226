"""Stages on one clock: what overlaps, what comes again, what never began and what is still open."""

import pytest

from app.events import Span
from app.timings import Timings

ARRIVED = 100.0  # seconds


def closed(timings: Timings) -> tuple[dict[str, float], dict[str, Span]]:
    took, spans = timings.close()
    return took, {span.name: span for span in spans}


def test_a_stage_counts_from_the_arrival() -> None:
    timings = Timings(ARRIVED)
    timings.begin("search", ARRIVED + 0.010)
    assert timings.end("search", ARRIVED + 0.0255) == 15.5
    took, spans = closed(timings)
    assert spans == {"search": Span("search", 10.0, 15.5)}
    assert took["search"] == timings.read("search") == 15.5


def test_stages_overlap() -> None:
    timings = Timings(ARRIVED)
    timings.begin("history", ARRIVED)
    timings.begin("search", ARRIVED + 0.001)
    timings.end("history", ARRIVED + 0.004)
    timings.end("search", ARRIVED + 0.003)
    _, spans = closed(timings)
    assert spans == {"history": Span("history", 0.0, 4.0), "search": Span("search", 1.0, 2.0)}


def test_a_stage_that_begins_again_is_the_later_one() -> None:
    timings = Timings(ARRIVED)
    for start in (0.0, 0.5):
        timings.begin("connect", ARRIVED + start)
        timings.end("connect", ARRIVED + start + 0.1)
    assert closed(timings)[1] == {"connect": Span("connect", 500.0, 100.0)}


def test_what_never_began_took_no_time_and_leaves_no_span() -> None:
    timings = Timings(ARRIVED)
    assert timings.end("decode") == timings.read("decode") == 0.0
    took, spans = closed(timings)
    assert spans == {}
    assert took.keys() == {"total"}


def test_an_end_before_its_beginning_is_its_beginning() -> None:
    """The HTTP client may say that it was connected before it was told to."""
    timings = Timings(ARRIVED)
    timings.begin("connect", ARRIVED + 1.0)
    assert timings.end("connect", ARRIVED + 0.5) == 0.0


def test_what_is_open_at_the_end_ends_there() -> None:
    timings = Timings(ARRIVED)
    timings.begin("prefill")
    took, spans = closed(timings)
    assert spans["prefill"].ms >= 0
    assert spans["prefill"].start + spans["prefill"].ms <= took["total"] + 0.01


def test_a_stage_that_raises_has_taken_its_time() -> None:
    timings = Timings(ARRIVED)
    with pytest.raises(ValueError, match="within"), timings.stage("embed"):
        raise ValueError("within")
    assert closed(timings)[1].keys() == {"embed"}


def test_only_the_first_text_is_the_first() -> None:
    timings = Timings(ARRIVED)
    timings.text(ARRIVED)
    first = timings.close()[0]["ttft"]
    timings.text(ARRIVED)
    assert timings.close()[0]["ttft"] == first
    took, _ = closed(timings)
    assert took["ttft"] == took["upstream_ttft"] <= took["total"]
    assert 0 <= took["stall_max"] <= took["total"] - took["ttft"] + 0.01


def test_the_models_wait_counts_from_its_request() -> None:
    timings = Timings(ARRIVED)
    timings.text(ARRIVED + 0.25)
    took, _ = closed(timings)
    assert took["ttft"] - took["upstream_ttft"] == pytest.approx(250.0, abs=0.02)


def test_a_turn_without_text_has_no_first_token() -> None:
    took, _ = closed(Timings(ARRIVED))
    assert took.keys() == {"total"}
