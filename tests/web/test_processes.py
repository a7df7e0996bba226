"""Two web processes behind one address: whichever one asks, follows or stops a turn, it is the same turn."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from uuid import uuid4

import httpx
import psutil
import pytest
import pytest_asyncio

from dev.standin.scenario import text as text_of
from e2e.stack import Stack
from e2e.stack import running as running_stack
from tests.web.conftest import connect
from tests.web.sse import Upstream, ask, follow, messages, scenario, text, told

Pair = tuple[httpx.AsyncClient, httpx.AsyncClient]


@pytest.fixture(scope="module")
def doubled(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The web of two processes, on the parts of the stack that runs already."""
    shared = stack.environment
    with running_stack(
        tmp_path_factory.mktemp("doubled"),
        worker=False,
        WEB_CONCURRENCY="2",
        CHAT_MODEL=shared["CHAT_MODEL"],
        REDIS_URL=shared["REDIS_URL"],
        CHROMA_URL=shared["CHROMA_URL"],
        OPENAI_BASE_URL=shared["OPENAI_BASE_URL"],
    ) as running:
        yield running


async def served_by(client: httpx.AsyncClient, parent: psutil.Process) -> int:
    """The process at the other end of the client's one connection."""
    async with client.stream("GET", "/healthz") as answer:
        port = answer.extensions["network_stream"].get_extra_info("client_addr")[1]
        await answer.aread()
    for process in parent.children(recursive=True):
        if any(c.raddr and c.raddr.port == port for c in process.net_connections()):
            return process.pid
    raise AssertionError("nobody holds the other end")


@pytest_asyncio.fixture
async def pair(doubled: Stack) -> AsyncIterator[Pair]:
    """One person's two connections, each to another process."""
    parent = psutil.Process(doubled.processes["web"].pid)
    by_process: dict[int, httpx.AsyncClient] = {}
    async with AsyncExitStack() as exits:
        for _ in range(200):
            client = await exits.enter_async_context(connect(doubled.url))
            by_process.setdefault(await served_by(client, parent), client)
            if len(by_process) == 2:
                break
        first, second = by_process.values()
        await first.get("/")
        second.cookies.update(first.cookies)
        yield first, second


async def test_a_turn_is_read_live_and_resumed_through_the_other(pair: Pair, upstream_of: Upstream) -> None:
    here, there = pair
    name, turn = scenario("zh-n20-gate6-gate12"), uuid4().hex
    asked = asyncio.create_task(ask(here, name, turn=turn))
    await upstream_of.reached(name, "held", at=6)
    had = []
    async with there.stream("GET", f"/api/turns/{turn}/events") as answer:
        async for message in messages(answer):
            had.append(message)
            if text(had) == text_of("sim-zh-n5"):
                break
    await upstream_of.open(name, at=6)
    await upstream_of.reached(name, "held", at=12)
    resuming = asyncio.create_task(follow(there, turn, had[-1].id))
    await upstream_of.open(name, at=12)
    said, rest = await asked, await resuming
    assert text(said) == text_of("sim-zh-n20")
    assert told(had + rest) == told(said)


async def test_it_is_stopped_through_the_other(pair: Pair, upstream_of: Upstream) -> None:
    here, there = pair
    name, turn = scenario("n20-gate5"), uuid4().hex
    asked = asyncio.create_task(ask(here, name, turn=turn))
    await upstream_of.reached(name, "held")
    following = asyncio.create_task(follow(there, turn))
    assert (await there.post(f"/api/turns/{turn}/stop")).status_code == 204
    said = await asked
    assert (said[-1].event, said[-1].data["kind"]) == ("failed", "stopped")
    assert told(await following) == told(said)
    assert (await upstream_of.reached(name, "closed"))["outcome"] == "closed"


async def test_a_repeated_post_joins_through_the_other(pair: Pair, upstream_of: Upstream) -> None:
    here, there = pair
    name, turn = scenario("n9-gate4"), uuid4().hex
    asked = asyncio.create_task(ask(here, name, turn=turn))
    await upstream_of.reached(name, "held")
    again = asyncio.create_task(ask(there, name, turn=turn))
    await upstream_of.open(name, at=4)
    assert told(await again) == told(await asked)
    assert await upstream_of.asked(name) == 1


async def test_another_owner_finds_nothing_through_either(pair: Pair, doubled: Stack) -> None:
    turn = (await ask(pair[0], "sim-n1"))[0].data["turn"]
    async with connect(doubled.url) as stranger:
        for _ in range(6):
            assert (
                await stranger.get(f"/api/turns/{turn}/events", headers={"connection": "close"})
            ).status_code == 404


async def test_a_deletion_through_the_other_stops_the_turn(pair: Pair, upstream_of: Upstream) -> None:
    here, there = pair
    name, conversation = scenario("n9-gate4"), uuid4().hex
    asked = asyncio.create_task(ask(here, name, conversation=conversation))
    await upstream_of.reached(name, "held")
    assert (await there.post(f"/c/{conversation}/delete")).status_code == 303
    assert (await asked)[-1].data["kind"] == "stopped"


async def test_what_a_browser_saw_may_be_told_to_the_other(pair: Pair) -> None:
    """Which has to wait until the one that answered has kept the turn."""
    here, there = pair
    said = await ask(here, "sim-n1")
    turn, total = said[0].data["turn"], said[-1].data["timings"]["total"]
    seen = {"sent": 1, "got": 2, "ttft": total, "last": total, "end": total}
    assert (await there.post(f"/turns/{turn}/paint", json=seen)).status_code == 204
    found = (await there.get(f"/api/turns/{turn}/measures")).json()
    assert found["paint"]["end"] == total
