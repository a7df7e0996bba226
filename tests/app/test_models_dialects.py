"""The OpenAI adapter and servers that speak from a script: dialects of the protocol, and what the stand-in
never says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from app.events import Usage
from tests.app.asking import failure, heard, opened, text

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
