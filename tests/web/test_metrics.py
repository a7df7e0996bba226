"""GET /metrics of two web processes and a worker: whichever is asked tells of all of them."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest
import pytest_asyncio
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.settings import make_data_dir
from app.telemetry.files import claim, forget_dead
from app.telemetry.metrics import BUCKETS as METRIC_BUCKETS
from app.telemetry.metrics import Metrics
from e2e.stack import Stack, wait_for
from e2e.stack import running as running_stack
from tests.measured import a_record
from tests.parts import parts_of
from tests.web.conftest import connect
from tests.web.sse import Upstream, ask, scenario
from tests.web.test_processes import served_by

BUCKETS = [*map(str, map(float, METRIC_BUCKETS)), "+Inf"]


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("counted"), WEB_CONCURRENCY="2") as running:
        yield running


@pytest_asyncio.fixture
async def client(counted: Stack) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(counted.url) as opened:
        yield opened


@pytest_asyncio.fixture
async def upstream_of(counted: Stack) -> AsyncIterator[Upstream]:
    async with connect(counted.upstream) as opened:
        yield Upstream(opened)


async def families(stack: Stack) -> dict[str, Metric]:
    """Asked over a new connection: of any of the processes."""
    async with connect(stack.url) as anybody:
        answer = await anybody.get("/metrics")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def total(found: dict[str, Metric], family: str, sample: str, **labels: str) -> float:
    if family not in found:
        return 0.0
    return sum(
        one.value
        for one in found[family].samples
        if one.name == f"{family}{sample}" and labels.items() <= one.labels.items()
    )


async def until(stack: Stack, count: float, family: str, sample: str, **labels: str) -> dict[str, Metric]:
    async with asyncio.timeout(30):
        while True:  # a poll of other processes: the deadline decides, not the pause
            found = await families(stack)
            if total(found, family, sample, **labels) >= count:
                return found
            await asyncio.sleep(0.05)


async def asked_of_each(stack: Stack) -> None:
    """One turn in each web process."""
    parent, served = psutil.Process(stack.processes["web"].pid), set[int]()
    for _ in range(200):
        async with connect(stack.url) as someone:
            process = await served_by(someone, parent)
            if process not in served:
                served.add(process)
                await ask(someone, f"{scenario('n6-ttft20')}?")
        if len(served) == 2:
            return
    raise AssertionError("only one process answers")


async def test_whoever_is_asked_counts_the_turns_of_all(counted: Stack) -> None:
    before = total(await families(counted), "prelude_turns", "_total")
    await asked_of_each(counted)
    await until(counted, before + 2, "prelude_turns", "_total", outcome="finished")
    answers = [await families(counted) for _ in range(12)]
    assert {total(found, "prelude_turns", "_total") for found in answers} == {before + 2}


async def test_the_conventions_names_and_buckets(counted: Stack, client: httpx.AsyncClient) -> None:
    await ask(client, f"{scenario('n6-ttft20')}?")
    found = await until(counted, 1, "gen_ai_client_operation_duration_seconds", "_count")
    for name in (
        "gen_ai_client_operation_time_to_first_chunk_seconds",
        "gen_ai_client_operation_duration_seconds",
        "gen_ai_server_time_to_first_token_seconds",
        "prelude_stage_seconds",
    ):
        assert found[name].type == "histogram"
        first = found[name].samples[0].labels
        bounds = [
            one.labels["le"]
            for one in found[name].samples
            if one.name.endswith("_bucket") and one.labels | {"le": ""} == first | {"le": ""}
        ]
        assert bounds == BUCKETS
    call = {
        "gen_ai_operation_name": "chat",
        "gen_ai_provider_name": "openai",
        "gen_ai_request_model": "asked",
    }
    assert total(found, "gen_ai_client_operation_time_to_first_chunk_seconds", "_count", **call) >= 1
    stages = {one.labels["stage"] for one in found["prelude_stage_seconds"].samples}
    assert {"embed", "dense", "prompt", "prefill", "decode"} <= stages


async def test_the_workers_jobs_are_counted_too(counted: Stack, client: httpx.AsyncClient) -> None:
    await ask(client, f"{scenario('n3')}?")
    found = await until(counted, 1, "prelude_job_seconds", "_count", job="title", outcome="done")
    assert total(found, "prelude_job_seconds", "_count", outcome="failed") == 0
    await until(
        counted, 1, "gen_ai_client_operation_duration_seconds", "_count", gen_ai_request_model="extract"
    )
    assert "prelude_outbox_waiting" in found


async def test_turns_under_way_are_those_of_all_processes_that_live(
    counted: Stack, client: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    name = scenario("n9-gate4")
    asking = asyncio.create_task(ask(client, f"{name}?"))
    await upstream_of.reached(name, "held")
    assert total(await families(counted), "prelude_turns_running", "") == 1
    await upstream_of.open(name)
    await asking
    async with asyncio.timeout(10):
        while total(await families(counted), "prelude_turns_running", ""):
            pass  # each look is a request of its own, which gives way


async def test_what_browsers_saw_and_what_they_cannot_have_seen(
    counted: Stack, client: httpx.AsyncClient
) -> None:
    turn = uuid4().hex
    await ask(client, f"{scenario('n3')}?", turn=turn)
    told = (await client.get(f"/api/turns/{turn}/measures")).json()["record"]["timings"]["total"]
    seen = {"sent": 1, "got": 2, "ttfp": 3, "ttft": told, "last": told, "end": told}
    refused = await client.post(f"/turns/{turn}/paint", json=seen | {"got": 90_000})
    assert refused.status_code == 422
    assert (await client.post(f"/turns/{turn}/paint", json=seen)).status_code == 204
    found = await families(counted)
    assert total(found, "prelude_paints_refused", "_total") == 1
    for measure in ("ttfp", "ttft", "added_ttft", "stall_max"):
        assert total(found, f"prelude_{measure}_seconds", "_count", model="asked", cached="false") == 1
    assert total(found, "prelude_ttft_seconds", "_sum") == pytest.approx(told / 1_000)


def test_what_a_killed_process_had_under_way_is_over(counted: Stack, tmp_path: Path) -> None:
    """And what it had counted is not forgotten."""
    with running_stack(tmp_path, WEB_CONCURRENCY="2", worker=False, **parts_of(counted)) as stack:
        asyncio.run(killed_while_it_answers(stack))


async def killed_while_it_answers(stack: Stack) -> None:
    parent, name = psutil.Process(stack.processes["web"].pid), scenario("n9-gate4")
    async with connect(stack.url) as client, connect(stack.upstream) as upstream:
        process = await served_by(client, parent)
        await ask(client, f"{scenario('n2')}?")
        await until(stack, 1, "prelude_turns", "_total")
        asking = asyncio.create_task(ask(client, f"{name}?"))
        await Upstream(upstream).reached(name, "held")
        assert total(await families(stack), "prelude_turns_running", "") == 1
        psutil.Process(process).kill()
        with pytest.raises(httpx.HTTPError):
            await asking
        await asyncio.to_thread(wait_for, lambda: not psutil.pid_exists(process), "its end")
    found = await families(stack)
    assert total(found, "prelude_turns_running", "") == 0
    assert total(found, "prelude_turns", "_total") == 1


def test_files_of_the_dead_are_forgotten_and_those_of_the_living_kept(tmp_path: Path) -> None:
    alive, lock = claim(tmp_path)
    dead, gone = claim(tmp_path)
    gone.close()
    files = [tmp_path / f"counter_{alive}.db", tmp_path / f"gauge_livesum_{alive}.db"]
    for file in (*files, tmp_path / f"counter_{dead}.db", tmp_path / f"gauge_livesum_{dead}.db"):
        file.touch()
    forget_dead(tmp_path, "gauge_*.db")
    assert {file.name for file in tmp_path.glob("*.db")} == {
        *(file.name for file in files),
        f"counter_{dead}.db",
    }
    forget_dead(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([*files, tmp_path / f"{alive}.lock"])
    fcntl.flock(lock, fcntl.LOCK_UN)
    forget_dead(tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_label_takes_any_number_of_values(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path / "metrics")
    for n in range(200):
        metrics.turn(a_record(model=f'm{n}"}}\n', route="r" * n))
    found = {family.name: family for family in text_string_to_metric_families(metrics.text({}).decode())}
    models = {one.labels["model"] for one in found["prelude_turns"].samples}
    assert len(models) <= 33
    assert "other" in models
    assert total(found, "prelude_turns", "_total") == 200
    assert max(len(one.labels["route"]) for one in found["prelude_turns"].samples) <= 80


def test_a_folder_that_cannot_be_made_stops_the_start_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "metrics").touch()
    with pytest.raises(SystemExit, match=r"^DATA_DIR is .* takes a folder"):
        Metrics(make_data_dir(tmp_path) / "metrics")
