"""The HTTP client: connections that stay, and when a request got one that carries it.

What came before a connection is connecting, what comes after it is prefill. aiohttp tells, but the SDK's
aiohttp client has no public way to listen, so this reaches for its transport; tests/app/test_connecting.py
notices when an upgrade moves it.
"""

import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import wraps
from time import perf_counter
from typing import Any

import aiohttp
import httpx2
from aiohttp import ClientSession, TraceConfig
from openai import DefaultAioHttpClient

log = logging.getLogger(__name__)

# Long enough for a person to read an answer and ask on; below the 350 and 240 s after which clouds' address
# translation forgets an idle connection without a word. A server may close it sooner: vLLM does after 5.
KEPT = 230.0
LIMITS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100, keepalive_expiry=KEPT)


class Connection:
    """One request's. `at` is None until it has one; a request that is tried again has the last try's.
    `reused`: it carried others before."""

    def __init__(self) -> None:
        self.at: float | None = None
        self.reused = False


CONNECTION: ContextVar[Connection | None] = ContextVar("connection", default=None)


def open_client() -> DefaultAioHttpClient:
    """The SDK's client; each request notes its moment in the `CONNECTION` of its context."""
    client = DefaultAioHttpClient(limits=LIMITS)
    transport: Any = getattr(client, "_transport", None)
    untraced = getattr(transport, "get_client", None)
    if untraced is None:  # answers matter more than this figure
        log.warning("the HTTP client has changed: connecting is not told apart from prefill")
        return client

    def get_client() -> ClientSession:
        session: ClientSession = untraced()
        if _TRACE not in session.trace_configs:
            session.trace_configs.append(_TRACE)
        return session

    transport.get_client = get_client
    transport.handle_async_request = _at_once(transport.handle_async_request)
    return client


Handle = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


def _at_once(handle: Handle) -> Handle:
    """Sends a request again that a kept connection did not carry, for the server had closed it meanwhile.

    The SDK would as well, but half a second later, and over the next connection that is closed.
    """

    @wraps(handle)
    async def handled(request: httpx2.Request) -> httpx2.Response:
        connection = CONNECTION.get() or Connection()
        while True:
            connection.reused = False
            try:
                return await handle(request)
            except httpx2.TransportError as error:
                if not (connection.reused and isinstance(error.__cause__, _CLOSED)):
                    raise

    return handled


_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


async def _created(session: ClientSession, context: Any, parameters: Any) -> None:
    if connection := CONNECTION.get():
        connection.at = perf_counter()


async def _reused(session: ClientSession, context: Any, parameters: Any) -> None:
    if connection := CONNECTION.get():
        connection.at, connection.reused = perf_counter(), True


_TRACE = TraceConfig()
_TRACE.on_connection_create_end.append(_created)
_TRACE.on_connection_reuseconn.append(_reused)
_TRACE.freeze()
