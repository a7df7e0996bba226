"""Connections that stay: when a request got one, and what happens when the server has closed it meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

import pytest
import pytest_asyncio

from app.models import Chunk
from tests.app.asking import QUESTION, failure, heard, opened, route, text

ANSWER = (
    b'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)
MODELS = b'{"object":"list","data":[]}'


def ok(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n" % len(body) + body


class Idle:
    """A server that keeps each connection for `answers` requests. Then it closes it: at once, or only when
    the next request has come over it, as when the two cross on their way."""

    def __init__(self, *, crossing: bool, answers: int = 1, models: bytes = MODELS) -> None:
        self._models = models
        self.crossing, self._answers = crossing, answers
        self.opened = self.unanswered = 0
        self.heads: list[bytes] = []
        self.closed = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            for _ in range(self._answers):
                writer.write(ok(self._models if (await self._request(reader)).startswith(b"GET") else ANSWER))
                await writer.drain()
            if self.crossing:
                await self._request(reader)
                self.unanswered += 1
        except asyncio.IncompleteReadError:
            pass  # the client went first
        writer.close()
        self.closed.set()

    async def _request(self, reader: asyncio.StreamReader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length"):
                await reader.readexactly(int(line.partition(b":")[2]))
        self.heads.append(head)
        return head


@asynccontextmanager
async def serving(server: Idle) -> AsyncIterator[str]:
    listening = await asyncio.start_server(server, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()


@pytest_asyncio.fixture(params=[True, False], ids=["crossing", "before"])
async def idle(request: pytest.FixtureRequest) -> Idle:
    return Idle(crossing=request.param)


async def test_a_connection_that_was_closed_costs_no_failure_and_no_pause(idle: Idle) -> None:
    async with serving(idle) as address, opened(address) as model:
        assert text(await heard(model, "any")) == "Hello"
        if not idle.crossing:
            await idle.closed.wait()
        assert text(await heard(model, "any")) == "Hello"
    assert idle.opened == 2
    assert idle.unanswered == idle.crossing
    # The SDK's own retries come after half a second, and are numbered.
    assert all(b"x-stainless-retry-count: 0" in head.lower() for head in idle.heads)


async def test_several_closed_connections_are_all_passed_over() -> None:
    server = Idle(crossing=True)
    async with serving(server) as address, opened(address) as model:
        await asyncio.gather(*(heard(model, "any") for _ in range(5)))
        assert text(await heard(model, "any")) == "Hello"
    assert server.unanswered == server.opened - 1 >= 5


async def test_a_server_that_closes_new_connections_too_has_failed() -> None:
    async with serving(Idle(crossing=True, answers=0)) as address, opened(address) as model:
        error, _ = await failure(model, "any")
    assert error.kind.startswith("upstream_")


async def test_a_kept_connection_is_used_again_and_warming_opens_it() -> None:
    server = Idle(crossing=False, answers=9)
    async with serving(server) as address, opened(address) as model:
        await asyncio.gather(*(model.warm() for _ in range(5)))
        for _ in range(3):
            await heard(model, "any")
            await model.warm()  # there is a connection: nothing is asked
    assert (server.opened, len(server.heads)) == (1, 4)


@pytest.mark.parametrize("said", [b"<html>app</html>", b"[]", b'"x"', b"null", b'{"data": ["m"]}', b""])
async def test_warming_never_fails_whatever_lists_the_models(said: bytes) -> None:
    async with serving(Idle(crossing=False, answers=9, models=said)) as address, opened(address) as model:
        await model.warm()
        assert model.provider.name == "unknown"
        assert text(await heard(model, "any")) == "Hello"


def test_connections_are_kept_for_minutes() -> None:
    """A person reads an answer before asking on; aiohttp's own five seconds are too short for that."""
    from app.models.connecting import open_client  # the SDK takes a second to import

    client = open_client()
    assert client._transport.limits.keepalive_expiry >= 120  # type: ignore[attr-defined]  # has no public way
    assert hasattr(client._transport.handle_async_request, "__wrapped__")


async def test_connecting_is_told_apart_from_prefill(upstream: str) -> None:
    """The stand-in sends its headers with the first token: only the connection itself comes before."""
    async with opened(upstream) as model:
        for _ in range(2):  # a new connection, then the same one again
            asked, first = perf_counter(), 0.0
            chunks: list[Chunk] = []
            async for chunk in model.stream(QUESTION, route("sim-ttft150-n3")):
                chunks.append(chunk)
                first = first or (perf_counter() if chunk.text else 0.0)
            (connected,) = [chunk.connected for chunk in chunks if chunk.connected is not None]
            assert asked < connected < first - 0.1
