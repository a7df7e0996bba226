"""What a collector is told, over real sockets, of turns that a real stack answered."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from app.settings import Settings
from app.telemetry import Telemetry
from e2e.stack import Stack, wait_for
from e2e.stack import running as running_stack
from tests.collector import Collector, Seen, collecting
from tests.measured import a_turn, events
from tests.parts import parts_of
from tests.web.sse import Upstream, ask, scenario

SECRETS = ("geheim4711", "机密口令")
BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]


class Promptly(TypedDict):
    OTEL_BSP_SCHEDULE_DELAY: str
    OTEL_METRIC_EXPORT_INTERVAL: str


PROMPTLY = Promptly(OTEL_BSP_SCHEDULE_DELAY="50", OTEL_METRIC_EXPORT_INTERVAL="200")  # milliseconds


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as opened:
        yield opened


@pytest.fixture(scope="module")
def traced(collector: Collector, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("traced")
    with running_stack(folder, OTEL_EXPORTER_OTLP_ENDPOINT=collector.address, **PROMPTLY) as running:
        yield running


@pytest_asyncio.fixture
async def client(traced: Stack) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=traced.url, timeout=30) as opened:
        yield opened


@pytest_asyncio.fixture
async def upstream_of(traced: Stack) -> AsyncIterator[Upstream]:
    async with httpx.AsyncClient(base_url=traced.upstream, timeout=30) as opened:
        yield Upstream(opened)


async def traced_turn(
    client: httpx.AsyncClient, collector: Collector, question: str, last: str
) -> dict[str, Seen]:
    """The turn's spans, once the one named `last` has come."""
    turn = uuid4().hex
    await ask(client, question, turn=turn)
    await asyncio.to_thread(wait_for, lambda: last in collector.trace(turn), f"{last} of {turn}")
    return collector.trace(turn)


async def test_a_turn_is_one_trace_over_web_and_worker(
    client: httpx.AsyncClient, collector: Collector
) -> None:
    name = scenario("n8-ttft40-itl2")
    seen = await traced_turn(client, collector, f"{name} {SECRETS[0]} {SECRETS[1]}?", "worker job title")
    root, call = seen["web turn"].span, seen["web chat asked"].span
    job, titling = seen["worker job title"].span, seen["worker chat extract"].span
    assert not root.parent_span_id
    assert root.kind == root.SPAN_KIND_SERVER
    assert call.kind == titling.kind == call.SPAN_KIND_CLIENT
    assert call.parent_span_id == job.parent_span_id == root.span_id
    assert titling.parent_span_id == job.span_id
    assert len({each.span.span_id for each in seen.values()}) == len(seen)
    assert len({(each.service, each.instance) for each in seen.values()}) == 2
    assert len({each.instance for each in seen.values()}) == 2
    for stage in ("connect", "prefill", "decode"):
        assert seen[f"web {stage}"].span.parent_span_id == call.span_id
    for stage in ("embed", "dense", "prompt"):
        assert seen[f"web {stage}"].span.parent_span_id == root.span_id


async def test_times_are_true_and_lie_within_what_they_are_part_of(
    client: httpx.AsyncClient, collector: Collector
) -> None:
    name = scenario("n8-ttft60-itl5")
    seen = await traced_turn(client, collector, f"{name}?", "worker job title")
    by_id = {each.span.span_id: each.span for each in seen.values()}
    slack = 1_000_000  # a nanosecond counter, and milliseconds of two decimals
    for each in seen.values():
        span = each.span
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        if each.service == "web" and span.parent_span_id:
            parent = by_id[span.parent_span_id]
            assert parent.start_time_unix_nano <= span.start_time_unix_nano + slack
            assert span.end_time_unix_nano <= parent.end_time_unix_nano + slack
    prefill = seen["web prefill"].span
    assert prefill.end_time_unix_nano - prefill.start_time_unix_nano >= 50_000_000
    assert seen["worker job title"].span.start_time_unix_nano >= seen["web turn"].span.end_time_unix_nano


async def test_a_call_has_the_names_of_the_conventions(
    client: httpx.AsyncClient, collector: Collector
) -> None:
    name = scenario("n8-ttft20")
    seen = await traced_turn(client, collector, f"{name}?", "worker chat extract")
    about = seen["web chat asked"].about
    assert about["gen_ai.operation.name"] == "chat"
    assert about["gen_ai.provider.name"] == "openai"
    assert about["gen_ai.request.model"] == "asked"
    assert about["gen_ai.usage.output_tokens"] == 8
    assert about["gen_ai.usage.input_tokens"] > 0
    assert about["gen_ai.usage.cache_read.input_tokens"] == 0
    assert about["gen_ai.response.finish_reasons"] == ["stop"]
    assert about["gen_ai.response.time_to_first_chunk"] >= 0.02
    assert seen["web turn"].about["prelude.outcome"] == "finished"
    assert seen["worker chat extract"].about["gen_ai.usage.output_tokens"] > 0


async def test_the_models_server_may_join_in(
    client: httpx.AsyncClient, collector: Collector, traced: Stack, upstream_of: Upstream
) -> None:
    name = scenario("n3")
    seen = await traced_turn(client, collector, f"{name}?", "worker chat extract")
    turn = seen["web turn"].span.trace_id.hex()
    headers = (await upstream_of.reached(name, "received"))["headers"]
    assert headers["traceparent"] == f"00-{turn}-{seen['web chat asked'].span.span_id.hex()}-01"
    titling = seen["worker chat extract"].span.span_id.hex()
    asked = json.dumps(traced.get(f"{traced.upstream}/requests?model=extract"))
    assert f"00-{turn}-{titling}-01" in asked


async def test_a_failure_says_its_kind(client: httpx.AsyncClient, collector: Collector) -> None:
    name = scenario("n8-cut4")
    seen = await traced_turn(client, collector, f"{name} {SECRETS[0]}?", "web turn")
    for span in (seen["web turn"], seen["web chat asked"]):
        assert span.about["error.type"] == "upstream_cut"
    assert seen["web turn"].span.status.code == seen["web turn"].span.status.STATUS_CODE_ERROR


async def test_the_same_figures_come_as_metrics(client: httpx.AsyncClient, collector: Collector) -> None:
    await ask(client, f"{scenario('n8-ttft20')} {SECRETS[1]}?")
    wanted = {
        "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.operation.duration",
        "gen_ai.server.time_to_first_token",
        "prelude.stage",
        "prelude.job",
        "prelude.turns",
        "prelude.turns.running",
    }
    await asyncio.to_thread(wait_for, lambda: wanted <= set(collector.metrics()), "every metric")
    first = collector.metrics()["gen_ai.client.operation.time_to_first_chunk"]
    assert first.unit == "s"
    (point, *_) = first.histogram.data_points
    assert list(point.explicit_bounds) == BUCKETS
    assert {pair.key for pair in point.attributes} == {
        "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model",
    }  # fmt: skip


async def test_nobodys_words_are_in_anything_that_was_sent(
    client: httpx.AsyncClient, collector: Collector
) -> None:
    await traced_turn(client, collector, f"{scenario('n3')} {SECRETS[0]} {SECRETS[1]}", "worker job title")
    sent = b"".join(collector.raw)
    assert not [secret for secret in SECRETS if secret.encode() in sent]


def test_words_are_sent_when_they_are_asked_for(collector: Collector, traced: Stack, tmp_path: Path) -> None:
    with running_stack(
        tmp_path,
        worker=False,
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.address,
        LOG_QUESTIONS="1",
        **parts_of(traced),
    ) as stack:
        turn = asyncio.run(one_turn(stack, f"sim-n3 {SECRETS[1]}?"))
    seen = collector.trace(turn)  # at the end of the process it sent what was left
    assert seen["web turn"].about["prelude.question"] == f"sim-n3 {SECRETS[1]}?"
    assert SECRETS[1] in (tmp_path / "web.log").read_text()


async def one_turn(stack: Stack, question: str) -> str:
    turn = uuid4().hex
    async with httpx.AsyncClient(base_url=stack.url, timeout=30) as client:
        said = await ask(client, question, turn=turn)
    assert said[-1].event in ("finished", "failed")
    return turn


def test_who_samples_gets_whole_traces_or_none(tmp_path: Path) -> None:
    """The worker, which sees no span of the web's, decides by the turn as the web does."""
    rare, often = "f" * 32, "0" * 15 + "1" + "0" * 15 + "1"  # its last 8 bytes decide, against a quarter
    sampling = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"}
    with collecting() as collector:
        settings = Settings(data_dir=tmp_path, otel_exporter_otlp_endpoint=collector.address)
        with pytest.MonkeyPatch.context() as environ:
            environ.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
            for name, value in sampling.items():
                environ.setenv(name, value)
            web, worker = Telemetry(settings, "web"), Telemetry(settings, "worker")
        for turn in (rare, often):
            asked = replace(a_turn(), id=turn)
            web.ended(asked, events(asked))
            with worker.job("title", {"turn": turn}):
                pass
        web.close()
        worker.close()
        assert not collector.trace(rare)
        assert {"web turn", "worker job title"} <= collector.trace(often).keys()


def test_a_collector_that_refuses_is_named_once(traced: Stack, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        told = told_of_five_turns(traced, tmp_path, nobody, patience="1")
    assert sum(line["logger"].startswith("opentelemetry") for line in told) == 1
    assert sum(line["event"] == "turn ended" for line in told) == 5


def test_a_collector_that_never_answers_holds_nobody_up(traced: Stack, tmp_path: Path) -> None:
    """Not even whoever stops the process, which is killed after 20 seconds."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        told = told_of_five_turns(traced, tmp_path, deaf, patience="600")
    assert sum(line["event"] == "turn ended" for line in told) == 5


def told_of_five_turns(
    traced: Stack, folder: Path, collector: socket.socket, patience: str
) -> list[dict[str, Any]]:
    """The web's log from its start to its end."""
    with running_stack(
        folder,
        worker=False,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.getsockname()[1]}",
        OTEL_EXPORTER_OTLP_TIMEOUT=patience,
        **PROMPTLY,
        **parts_of(traced),
    ) as stack:
        for _ in range(5):
            asyncio.run(one_turn(stack, "sim-n3?"))
        process = stack.processes["web"]
        stack.kill("web", signal.SIGTERM)
        assert process.returncode == -signal.SIGTERM
        return [json.loads(line) for line in stack.log("web").splitlines()]
