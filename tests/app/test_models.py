"""The OpenAI adapter against the stand-in, over real sockets: every way a model answers, fails or is left."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import pytest_asyncio

from app.settings import Settings
from dev.standin import scenario
from tests.app.asking import QUESTION, failure, heard, opened, route, text

if TYPE_CHECKING:
    from app.models.openai import OpenAIModel

CLOSED_WITHIN = 0.5  # seconds from the order until the upstream has seen its connection close


@pytest_asyncio.fixture
async def model(upstream: str) -> AsyncIterator["OpenAIModel"]:
    async with opened(upstream) as connected:
        yield connected


@pytest_asyncio.fixture
async def record(upstream: str) -> AsyncIterator[Callable[..., Awaitable[dict[str, Any]]]]:
    """Waits until the newest request of a model has come so far, and gives what is known of it."""
    async with httpx.AsyncClient(base_url=upstream, verify=False, timeout=20) as client:

        async def reached(name: str, until: str, **query: Any) -> dict[str, Any]:
            answer = await client.get(f"/requests/{name}", params={"until": until, **query})
            assert answer.status_code == 200, answer.text
            shown: dict[str, Any] = answer.json()
            return shown

        yield reached


async def test_text_reason_and_usage(model: "OpenAIModel") -> None:
    chunks = await heard(model, "sim-n5-tagwhole")
    assert text(chunks) == scenario.text("sim-n5")
    assert [chunk.reason for chunk in chunks if chunk.reason] == ["stop"]
    (usage,) = [chunk.usage for chunk in chunks if chunk.usage]
    assert usage.completion_tokens == 5
    assert usage.prompt_tokens > 5


async def test_an_answer_at_its_limit_says_so(model: "OpenAIModel") -> None:
    chunks = await heard(model, "sim-n50", most=7)
    assert text(chunks) == scenario.text("sim-n7")
    assert [chunk.reason for chunk in chunks if chunk.reason] == ["length"]


async def test_cached_tokens_are_told(model: "OpenAIModel") -> None:
    name = "sim-n1-cacheany-tagcached"
    await heard(model, name)
    usages = [chunk.usage for chunk in await heard(model, name) if chunk.usage]
    assert usages[0].cached_tokens > 0


async def test_what_is_sent(model: "OpenAIModel", record: Callable[..., Awaitable[dict[str, Any]]]) -> None:
    await heard(model, "sim-n1-tagsent", most=99)
    body = json.loads((await record("sim-n1-tagsent", "ended"))["body"])
    assert body == {
        "model": "sim-n1-tagsent",
        "messages": [{"role": message.role, "content": message.content} for message in QUESTION],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
    }


async def test_empty_chunks_before_the_first_token_are_no_text(model: "OpenAIModel") -> None:
    chunks = await heard(model, "sim-n2-empty3")
    assert all(chunk.text or chunk.reason or chunk.usage or chunk.connected for chunk in chunks)
    assert text(chunks) == scenario.text("sim-n2")


@pytest.mark.parametrize("kind", ["zh", "md"])
async def test_characters_cut_at_every_byte_arrive_whole(model: "OpenAIModel", kind: str) -> None:
    name = f"sim-{kind}-n60-splitbytes"
    assert text(await heard(model, name)) == scenario.text(f"sim-{kind}-n60")


@pytest.mark.parametrize(
    ("name", "kind", "came"),
    [
        ("sim-n9-cut3", "upstream_cut", "sim-n3"),
        ("sim-n9-cut0", "upstream_cut", "sim-n0"),
        ("sim-n9-reset3-itl5", "upstream_cut", "sim-n3"),
        ("sim-n9-malformed2-itl5", "upstream_failed", "sim-n2"),
        ("sim-status401", "upstream_refused", "sim-n0"),
        ("sim-status403", "upstream_refused", "sim-n0"),
        ("sim-status404", "upstream_refused", "sim-n0"),
        ("sim-status400", "upstream_refused", "sim-n0"),
        ("sim-status429-retryafter0.01", "upstream_refused", "sim-n0"),
        ("sim-status500-retryafter0.01", "upstream_failed", "sim-n0"),
    ],
)
async def test_every_failure_has_its_kind_and_keeps_what_came(
    model: "OpenAIModel", name: str, kind: str, came: str
) -> None:
    error, text_by_then = await failure(model, name)
    assert error.kind == kind
    assert text_by_then == scenario.text(came)
    assert "\n" not in error.message


@pytest.mark.parametrize(("name", "said"), [("sim-status401", "OPENAI_API_KEY"), ("nowhere", "'nowhere'")])
async def test_a_refusal_names_what_was_wrong(model: "OpenAIModel", name: str, said: str) -> None:
    error, _ = await failure(model, name)
    assert said in error.message


async def test_a_busy_server_is_asked_again(model: "OpenAIModel") -> None:
    chunks = await heard(model, "sim-n3-status503x2-retryafter0.01-tagagain")
    assert text(chunks) == scenario.text("sim-n3")


async def test_a_server_that_is_not_there() -> None:
    async with opened("http://127.0.0.1:1") as nowhere:
        error, _ = await failure(nowhere, "any")
    assert error.kind == "upstream_unreachable"
    assert error.retryable


@pytest.mark.parametrize("at", [0, 2])
async def test_a_silent_server_is_not_waited_for_for_ever(upstream: str, at: int) -> None:
    openai = import_module("openai")
    adapter = import_module("app.models.openai").OpenAIModel
    short = openai.Timeout(5, read=0.2)
    model: OpenAIModel = adapter(Settings(openai_base_url=upstream + "/v1"), short)
    try:
        error, came = await failure(model, f"sim-n9-hang{at}-early-tagsilent")
    finally:
        await model.close()
    assert error.kind == "upstream_timeout"
    assert came == scenario.text(f"sim-n{at}")


@pytest.mark.parametrize("how", ["close", "cancel"])
@pytest.mark.parametrize("pace", ["ttft60000", "ttft60000-early", "gate3"])
async def test_whoever_leaves_closes_the_upstream(
    model: "OpenAIModel", record: Callable[..., Awaitable[dict[str, Any]]], how: str, pace: str
) -> None:
    """Before the headers, between them and the first token, and in the midst of the text."""
    name = f"sim-n9-{pace}-tag{how}"
    got_some = asyncio.Event()

    async def follow() -> None:
        async with aclosing(model.stream(QUESTION, route(name))) as chunks:
            async for chunk in chunks:
                if chunk.text:
                    got_some.set()
                    if how == "close":
                        return

    following = asyncio.create_task(follow())
    if pace == "gate3":
        await got_some.wait()
    await record(name, "received")
    loop = asyncio.get_running_loop()
    ordered = loop.time()
    if not (how == "close" and pace == "gate3"):
        following.cancel()
    await asyncio.wait([following])
    shown = await record(name, "closed")
    assert shown["outcome"] == "closed"
    assert shown["closed_by_client_at"] is not None
    assert loop.time() - ordered < CLOSED_WITHIN
