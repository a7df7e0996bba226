"""The HTTP half: its clock, its refusal, and what it makes of answers that are none."""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from app.events import Delta, Finished
from e2e.latency import load
from e2e.latency.scenario import Scenario
from e2e.stack import Stack
from tests.e2e_latency.servers import always, serving

QUICK = Scenario(about="", door="http", upstream="sim-ttft40-itl5-n6", turns=6, warm_up=2, rate=20)
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = b'event: delta\r\ndata: {"text":"a"}\r\n\r\n'


def test_a_turn_at_the_door_is_compared_with_the_same_at_the_model(stack: Stack) -> None:
    run = load.measure("quick", QUICK, stack.url, stack.upstream)
    assert (len(run.samples), run.door) == (QUICK.turns, "http")
    for sample in run.counted:
        assert sample.direct is not None
        assert sample.direct >= 40
        assert sample.values["ttft"] >= sample.values["upstream_ttft"] >= 40
        beyond = sample.values["ttft"] - sample.direct
        assert sample.values["beyond_direct"] == pytest.approx(beyond, abs=0.02)
        assert {"embed", "dense", "prefill"} <= {stage.name for stage in sample.stages}
    assert [sample.left_out for sample in run.samples] == [""] * QUICK.turns
    assert len({sample.question for sample in run.samples}) == QUICK.turns  # none is embedded already


def test_a_turn_that_fails_does_not_count_as_a_wait(stack: Stack) -> None:
    failing = Scenario(about="", door="http", upstream="sim-status400", turns=3, warm_up=0, rate=20)
    run = load.measure("failing", failing, stack.url, stack.upstream)
    assert run.counted == []
    assert all(sample.left_out.startswith("it ended as ") for sample in run.samples)


def test_the_clock_starts_at_the_scheduled_send(upstream: str) -> None:
    call = load.calls(QUICK, upstream, upstream)[1]
    call.scheduled = time.perf_counter() - 5  # nobody was free to send it for so long
    asyncio.run(load.send(call))
    assert call.lag >= 5_000
    assert call.ttft >= 5_040


def test_an_empty_chunk_is_no_token(upstream: str) -> None:
    late = Scenario(about="", upstream="sim-early-empty3-ttft300-n3", turns=3)
    call = load.calls(late, upstream, upstream)[1]
    call.scheduled = time.perf_counter()
    asyncio.run(load.send(call))
    assert b'"content":""' in call.data.replace(b": ", b":")
    assert call.ttft >= 300


@pytest.fixture
def greedy() -> Iterator[None]:
    """Another thread that lets nobody else run for 30 ms at a time."""
    usual, over = sys.getswitchinterval(), threading.Event()
    thread = threading.Thread(target=_spin, args=(over,), daemon=True)
    sys.setswitchinterval(0.03)
    thread.start()
    yield
    over.set()
    thread.join()
    sys.setswitchinterval(usual)


def _spin(over: threading.Event) -> None:
    while not over.is_set():
        pass


def test_a_generator_that_lags_refuses_its_own_run(greedy: None) -> None:
    with serving(always(HEAD + b"0\r\n\r\n")) as url:
        run = load.measure("quick", QUICK, url, url)
    assert run.refused.startswith("its own sending lagged by ")
    assert run.refused.endswith(" ms at p99, 2 is the most")


def test_the_refusal_looks_at_the_99th_of_a_hundred() -> None:
    assert load.refusal([0.5] * 99 + [80.0]) == ""
    assert load.refusal([0.5] * 95 + [80.0] * 5) != ""
    assert load.refusal([]) == ""


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "nothing came"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy", "HTTP/1.1 503 Busy"),
        (HEAD + b"zz\r\nno chunk", "HTTP/1.1 200 OK"),
        (HEAD + b"24\r\n" + EVENT, "HTTP/1.1 200 OK"),
        (HEAD + b"1b\r\nevent: delta\r\ndata: [1]\r\n\r\n", "HTTP/1.1 200 OK"),
        (HEAD + b"1b\r\nevent: other\r\ndata: {}\r\n\r\n\r\n", "HTTP/1.1 200 OK"),
    ],
)
def test_an_answer_that_is_none_is_left_out_with_the_reason(answer: bytes, why: str) -> None:
    with serving(always(answer)) as url:
        run = load.measure("none", QUICK, url, url)
    assert {sample.left_out for sample in run.samples} == {f"it ended without an answer ({why})"}


def test_an_address_where_nobody_listens_is_left_out_too() -> None:
    run = load.measure("none", QUICK, "http://127.0.0.1:9", "http://127.0.0.1:9")
    assert all("ConnectionRefusedError" in sample.left_out for sample in run.samples)


def test_events_are_read_across_chunks() -> None:
    end = b'event: finished\r\ndata: {"cached":false,"model":"m","route":"r"}\r\n\r\n'
    body = ': beat\r\n\r\nid: 1\r\nevent: delta\r\ndata: {"text":"首"}\r\n\r\nid: 2\r\n'.encode() + end
    for size in (1, 7, 64, len(body)):
        parts = [body[at : at + size] for at in range(0, len(body), size)]
        chunked = b"".join(b"%x;ext=1\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        found = load.read_events(HEAD + chunked)
        assert found[0] == Delta("首")
        assert isinstance(found[1], Finished)


def test_a_body_that_breaks_off_gives_what_there_was() -> None:
    whole = HEAD + b"24\r\n" + EVENT + b"\r\n0\r\n\r\n"
    for end in range(len(whole)):
        assert len(load.unchunked(whole[:end])) <= 36
        assert load.read_events(whole[:end]) in ([], [Delta("a")])
