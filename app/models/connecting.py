"""When a request got a connection that carries it: what came before is connecting, what comes after prefill.

aiohttp tells, but the SDK's aiohttp client has no public way to listen, so this reaches for its transport;
tests/app/test_models.py notices when an upgrade moves it.
"""

import logging
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from aiohttp import ClientSession, TraceConfig
from openai import DefaultAioHttpClient

log = logging.getLogger(__name__)


class Connection:
    """One request's. `at` is None until it has one; a request that is tried again has the last try's."""

    def __init__(self) -> None:
        self.at: float | None = None


CONNECTION: ContextVar[Connection | None] = ContextVar("connection", default=None)


def traced_client() -> DefaultAioHttpClient:
    """The SDK's client; each request notes its moment in the `CONNECTION` of its context."""
    client = DefaultAioHttpClient()
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
    return client


async def _connected(session: ClientSession, context: Any, parameters: Any) -> None:
    connection = CONNECTION.get()
    if connection is not None:
        connection.at = perf_counter()


_TRACE = TraceConfig()
_TRACE.on_connection_create_end.append(_connected)
_TRACE.on_connection_reuseconn.append(_connected)
_TRACE.freeze()
