"""One clock for browser and server, what a browser can have seen, and that nothing hides between stages."""

from dataclasses import dataclass
from math import inf, nan

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.events import Delta, Failed, Finished, Prompted, Routed, Span, Started, Step, Usage
from app.measures import (
    GAP,
    LONGEST,
    MEASURES,
    SLACK,
    Paint,
    Record,
    Rendered,
    implausible,
    offset,
    record,
    stages,
    unhidden_retrieval,
    values,
)
from tests.measured import a_paint, a_record

TIMES = ("sent", "got", "ttfp", "ttfs", "ttft", "last", "end", "stall_max")
FIELDS = st.sampled_from(TIMES)
WAITS = st.floats(0, 60_000, allow_nan=False)


@dataclass(frozen=True)
class Told:
    """A turn as it really was: a server's record, and what a browser saw of it."""

    record: Record
    paint: Paint
    travel: float  # one way


@st.composite
def turns(draw: st.DrawFn) -> Told:
    """Any turn on any network: the same way there and back, and nothing seen before it happened."""
    travel, queue, first, decode, drawn = (draw(WAITS) for _ in range(5))
    sent = draw(st.floats(0, 100))
    arrived = sent + travel
    got = arrived + queue + travel
    ttft = max(arrived + queue + first + travel + drawn, got)
    end = ttft + decode
    spans = (Span("queue", 0, queue), Span("prefill", queue, first), Span("decode", queue + first, decode))
    timings = {span.name: span.ms for span in spans}
    timings |= {"ttft": queue + first, "upstream_ttft": first, "total": queue + first + decode}
    paint = Paint(sent, got, end, got, None, ttft, end, draw(st.floats(0, 1)) * decode)
    return Told(Record(timings=timings, spans=spans, usage=Usage(10, 11)), paint, travel)


@given(turns())
def test_what_really_happened_is_plausible(told: Told) -> None:
    assert implausible(told.paint, told.record) == ""


@given(turns())
def test_the_offset_is_when_the_question_arrived(told: Told) -> None:
    assert offset(told.record, told.paint) == pytest.approx(told.paint.sent + told.travel, abs=0.01)


@given(turns(), st.floats(0, 1_000))
def test_the_offset_lies_between_request_and_response(told: Told, queue: float) -> None:
    """Even when the server's own time in it is said to be longer than the whole."""
    odd = msgspec.structs.replace(told.record, timings=told.record.timings | {"queue": queue * 1_000})
    assert told.paint.sent <= offset(odd, told.paint) <= told.paint.got


def test_without_a_browser_the_clock_is_the_servers() -> None:
    assert offset(a_record(), None) == 0.0
    assert stages(a_record())[0].start == 0.0


@given(turns(), FIELDS, st.sampled_from([inf, -inf, nan, -0.001, -1e300, LONGEST + 1, 1e308]))
def test_no_time_is_outside_of_time(told: Told, field: str, time: float) -> None:
    paint = msgspec.structs.replace(told.paint, **{field: time})
    assert implausible(paint, told.record) == "a time is negative, or longer than an hour"
    assert implausible(paint)


@given(turns(), st.sampled_from(["sent", "ttfp", "ttfs", "ttft", "last"]))
def test_nothing_is_seen_after_the_end(told: Told, field: str) -> None:
    assert implausible(msgspec.structs.replace(told.paint, **{field: told.paint.end + SLACK + 0.1}))


@given(turns(), st.sampled_from(["ttfp", "ttfs", "ttft"]))
def test_nothing_is_seen_before_the_response(told: Told, field: str) -> None:
    assume(told.paint.got > SLACK + 0.1)
    paint = msgspec.structs.replace(told.paint, **{field: told.paint.got - SLACK - 0.1})
    assert implausible(paint) == "its times are out of order"


@given(turns())
def test_a_stall_is_no_longer_than_the_writing(told: Told) -> None:
    last, ttft = told.paint.last or 0.0, told.paint.ttft or 0.0
    paint = msgspec.structs.replace(told.paint, stall_max=last - ttft + SLACK + 0.1)
    assert implausible(paint) == "its times are out of order"


@given(turns(), st.floats(0.1, 10_000))
def test_nobody_sees_text_before_there_is_any(told: Told, early: float) -> None:
    first = told.record.timings["ttft"] - SLACK - early
    assume(first >= 0)
    lie = msgspec.structs.replace(
        told.paint, sent=0.0, got=0.0, ttfp=0.0, ttft=first, last=max(first, told.paint.end)
    )
    assert implausible(lie) == ""
    assert implausible(lie, told.record) == "it saw text before there was any"
    again = msgspec.structs.replace(lie, resumed=True)  # its clock may be a later press of the key
    assert implausible(again, told.record) == ""


def test_nobody_sees_text_that_there_was_not() -> None:
    silent = Record(timings={"total": 10.0}, outcome="upstream_refused")
    assert implausible(Paint(1, 2, 20, 3), silent) == ""
    assert implausible(Paint(1, 2, 20, 3, ttft=5, last=5), silent) == "it saw text that there was not"


@pytest.mark.parametrize("paint", [Paint(1, 2, 20, ttft=5.0), Paint(1, 2, 20, last=5.0)])
def test_a_first_text_has_a_last_one(paint: Paint) -> None:
    assert implausible(paint) == "a first text has a last one, and no other has"


def test_nobody_sees_the_end_before_it() -> None:
    seen = Record(timings={"total": 500.0})
    assert implausible(Paint(1, 2, 500), seen) == ""
    assert implausible(Paint(1, 2, 500 - SLACK - 1), seen) == "it saw the end before there was one"


@given(st.lists(st.tuples(st.sampled_from("abcdef"), WAITS, WAITS), max_size=8), WAITS)
def test_nothing_hides_between_the_stages(spans: list[tuple[str, float, float]], ttft: float) -> None:
    """Before the first text every moment lies in a stage or in a gap, but for steps of a millisecond; and no
    gap overlaps a stage."""
    seen = Record(spans=tuple(Span(*span) for span in spans), timings={"ttft": ttft})
    found = stages(seen)
    reached = 0.0
    for stage in sorted(found, key=lambda stage: stage.start):
        if stage.start > ttft + GAP:
            break
        assert stage.start <= reached + GAP + 0.02
        if stage.side == "gap":
            assert stage.ms > GAP
            assert stage.start >= reached - 0.02
        reached = max(reached, stage.end)
    assert [stage for stage in found if stage.side != "gap"] == [
        stage for stage in stages(msgspec.structs.replace(seen, timings={})) if stage.side != "gap"
    ]


def test_a_stretch_in_which_nothing_ran_is_a_gap() -> None:
    seen = Record(spans=(Span("queue", 0, 5), Span("prefill", 55, 100)), timings={"ttft": 155})
    assert [(one.name, one.start, one.ms) for one in stages(seen)] == [
        ("queue", 0, 5),
        ("gap", 5, 50),
        ("prefill", 55, 100),
    ]


def test_behind_the_first_text_a_pause_is_no_gap() -> None:
    """Then people read; what counts is how the text goes on, and stall_max tells that."""
    seen = Record(spans=(Span("prefill", 0, 10), Span("later", 500, 1)), timings={"ttft": 10})
    assert [one.name for one in stages(seen)] == ["prefill", "later"]


def test_browser_and_server_are_on_one_clock() -> None:
    seen = a_record(search=20.0, own=10.0, prefill=200.0)
    paint = a_paint(seen, travel=8.0)
    by_name = {one.name: one for one in stages(seen, paint, Rendered(1.5, 4.0, 9))}
    assert (by_name["send"].start, by_name["send"].side) == (0, "browser")
    assert by_name["embed"].start == by_name["send"].end == offset(seen, paint) == 6.0
    assert by_name["prefill"].side == by_name["decode"].side == "model"
    assert by_name["deliver"].start == by_name["render"].start == by_name["prefill"].end == 236.0
    assert by_name["deliver"].end == paint.ttft
    assert by_name["render"].ms == 1.5
    assert "search" not in by_name  # embed and dense are drawn instead
    assert by_name["gap"].ms == 10.0


def test_stages_are_in_the_order_of_their_start() -> None:
    seen = a_record()
    starts = [one.start for one in stages(seen, a_paint(seen), Rendered(1.0, 1.0, 1))]
    assert starts == sorted(starts)


@given(turns())
def test_the_values_of_a_turn_that_was_waited_for_are_its_readers(told: Told) -> None:
    found = values(told.record, told.paint, Rendered(2.0, 9.0, 12))
    assert found["ttft"] == round(told.paint.ttft or 0, 2)
    assert found["total"] == round(told.paint.end, 2)
    assert found["stall_max"] == round(told.paint.stall_max, 2)
    assert found["own"] == pytest.approx((told.paint.ttft or 0) - told.record.ms("ttft"), abs=0.01)
    assert found["tpot"] == round(((told.paint.last or 0) - (told.paint.ttft or 0)) / 10, 2)
    assert found["server_tpot"] == round(told.record.ms("decode") / 10, 2)
    assert found["server_ttft"] == round(told.record.timings["ttft"], 2)
    assert found["render"] == 2.0
    assert "ttfs" not in found


@pytest.mark.parametrize("how", ["hidden", "resumed"])
def test_nobody_waits_for_a_tab_that_is_out_of_sight(how: str) -> None:
    seen = a_record()
    paint = msgspec.structs.replace(a_paint(seen), **{how: True})
    assert not paint.counts
    assert values(seen, paint) == values(seen, None)
    assert values(seen, None).keys().isdisjoint({*MEASURES, "own"} - {"upstream_ttft"})
    assert values(seen, None)["server_total"] == seen.timings["total"]


def test_what_is_added_is_neither_the_models_nor_retrievals() -> None:
    seen = a_record(search=20.0, own=10.0, prefill=200.0)
    assert values(seen, a_paint(seen, travel=8.0))["added_ttft"] == 18.0


@pytest.mark.parametrize(
    ("history", "hidden"), [(None, 0), ((0, 4), 0), ((5, 10), 5), ((0, 25), 15), ((0, 90), 20)]
)
def test_retrieval_that_the_history_hides_is_not_waited_for(
    history: tuple[float, float] | None, hidden: float
) -> None:
    spans = (Span("search", 10.0, 20.0), *([] if history is None else [Span("history", *history)]))
    assert unhidden_retrieval(Record(spans=spans)) == 20 - hidden


def test_nobody_tells_of_what_is_still_to_come() -> None:
    seen = a_record()
    paint = a_paint(seen)
    assert implausible(paint, seen, since=paint.end) == ""
    assert implausible(paint, seen, since=paint.end - paint.got - SLACK - 1) == "its end is still to come"


def test_a_record_is_read_off_the_events() -> None:
    spans, usage = (Span("route", 0.0, 1.0),), Usage(100, 20, 64)
    events = (
        Started("t", "c", "?"),
        Routed("standard", "large", "why"),
        Step("search", "done", "3", 2.0),
        Delta("Hello"),
        Prompted({"question": 9}, "abc"),
        Finished(False, "large", "standard", usage, {"ttft": 5.0}, "stop", spans),
    )
    assert record(events) == Record(
        "standard", "large", False, "finished", usage, {"ttft": 5.0}, spans, {"question": 9}, "abc"
    )


def test_a_turn_that_failed_early_has_what_it_has() -> None:
    failed = Failed("stopped", "Stopped.", True, {"total": 3.0}, (Span("queue", 0, 1),))
    assert record([failed]) == Record(outcome="stopped", timings={"total": 3.0}, spans=failed.spans)
    assert record([Routed("r", "m", ""), failed]).model == "m"


def test_a_turn_that_runs_has_no_record() -> None:
    with pytest.raises(ValueError, match="not ended"):
        record([Started("t", "c", "?")])


@given(turns())
def test_they_survive_being_kept(told: Told) -> None:
    for part in (told.record, told.paint, Rendered(1.0, 2.0, 3)):
        assert msgspec.json.decode(msgspec.json.encode(part), type=type(part)) == part


@pytest.mark.parametrize(
    "body",
    [b'{"sent":1,"got":2}', b'{"sent":1,"got":2,"end":3,"who":4}', b'{"sent":"1","got":2,"end":3}',
     b'{"sent":1,"got":2,"end":3,"hidden":1}', b'{"sent":null,"got":2,"end":3}', b"[1,2,3]", b"NaN"],
)  # fmt: skip
def test_only_its_own_fields_make_a_paint(body: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        msgspec.json.decode(body, type=Paint)
