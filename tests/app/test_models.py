"""The OpenAI adapter against the stand-in, over real sockets: every way a model answers, fails or is left."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import pytest_asyncio

from app.errors import TurnError
from app.events import Usage
from app.models import Chunk, open_model
from app.prompt import Message
from app.routing import Route
from app.settings import Settings
from dev.standin import scenario

if TYPE_CHECKING:
    from app.models.openai import OpenAIModel

QUESTION = [Message("system", "Be brief."), Message("user", "How old is the wall?")]
CLOSED_WITHIN = 0.5  # seconds from the order until the upstream has seen its connection close


def route(model: str, most: int = 4_096) -> Route:
    return Route("test", model, k=0, max_tokens=most, reason="")


@asynccontextmanager
async def opened(address: str, **settings: Any) -> AsyncIterator["OpenAIModel"]:
    model = open_model(Settings(openai_base_url=address + "/v1", **settings))
    try:
        yield model
    finally:
        await model.close()


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


async def heard(model: "OpenAIModel", name: str, most: int = 4_096) -> list[Chunk]:
    return [chunk async for chunk in model.stream(QUESTION, route(name, most))]


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks)


async def failure(model: "OpenAIModel", name: str) -> tuple[TurnError, str]:
    """How it failed, and what had come by then."""
    chunks = []
    try:
        async for chunk in model.stream(QUESTION, route(name)):
            chunks.append(chunk)
    except TurnError as error:
        return error, text(chunks)
    raise AssertionError(f"{name} did not fail")


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


async def test_connecting_is_told_apart_from_prefill(model: "OpenAIModel") -> None:
    """The stand-in sends its headers with the first token: only the connection itself comes before."""
    for _ in range(2):  # a new connection, then the same one again
        asked, first = perf_counter(), 0.0
        chunks = []
        async for chunk in model.stream(QUESTION, route("sim-ttft150-n3")):
            chunks.append(chunk)
            first = first or (perf_counter() if chunk.text else 0.0)
        (connected,) = [chunk.connected for chunk in chunks if chunk.connected is not None]
        assert asked < connected < first - 0.1


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


# What the stand-in never says, said by a server that speaks from a script.

Serve = Callable[[bytes], Awaitable[str]]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


@pytest_asyncio.fixture
async def serve() -> AsyncIterator[Serve]:
    """An address that answers every request with these bytes and closes."""
    servers: list[asyncio.Server] = []

    async def start(body: bytes) -> str:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.partition(b":")[2]))
            writer.write(HEAD + body)
            await writer.drain()
            writer.close()

        servers.append(await asyncio.start_server(answer, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].sockets[0].getsockname()[1]}"

    yield start
    for server in servers:
        server.close()


def said(*lines: str, end: bytes = b"\n\n") -> bytes:
    return b"".join(b"data: " + line.encode() + end for line in lines)


HELLO = '{"choices":[{"delta":{"content":"Hello"}}]}'
STOP = '{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}'


@pytest.mark.parametrize(
    "body",
    [
        said(HELLO, STOP, "[DONE]"),
        said(HELLO, STOP),  # some servers never say [DONE]
        said(HELLO, "[DONE]"),  # others give no reason
        said(HELLO, STOP, "[DONE]", end=b"\r\n\r\n"),
        said(HELLO, STOP, "[DONE]").replace(b"data: ", b"data:"),
        b": comment\n\nevent: message\nid: 1\n" + said(HELLO, STOP, "[DONE]"),
        said(
            '{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"x":[1]}}],"y":{}}',
            HELLO,
            STOP,
        ),
    ],
)
async def test_dialects_of_the_protocol(serve: Serve, body: bytes) -> None:
    async with opened(await serve(body)) as model:
        chunks = await heard(model, "any")
    assert text(chunks) == "Hello"


async def test_usage_without_details(serve: Serve) -> None:
    usage = '{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":null}}'
    async with opened(await serve(said(HELLO, STOP, usage, "[DONE]"))) as model:
        chunks = await heard(model, "any")
    assert Usage(7, 2, 0) in [chunk.usage for chunk in chunks]


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (said(HELLO, '{"error":{"message":"out of\\nmemory"}}'), "upstream_failed", "out of memory"),
        (said(HELLO, '{"error":"overloaded"}'), "upstream_failed", "overloaded"),
        (said(HELLO), "upstream_cut", "cut off"),
        (b"", "upstream_cut", "cut off"),
        (b"<html>not an API</html>", "upstream_cut", "cut off"),
        (said('{"choices":[{"delta":{"content":5}}]}'), "upstream_failed", "not its protocol"),
        (b"data: " + b"x" * (2 << 20), "upstream_failed", "megabyte"),
    ],
    ids=["error object", "error text", "no end", "nothing", "a web page", "another type", "an endless line"],
)
async def test_failures_in_the_midst_of_a_stream(serve: Serve, body: bytes, kind: str, message: str) -> None:
    async with opened(await serve(body)) as model:
        error, came = await failure(model, "any")
    assert error.kind == kind
    assert message in error.message
    assert "\n" not in error.message
    assert came == ("Hello" if b"Hello" in body else "")
