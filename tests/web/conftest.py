"""Clients of the running application, each with a cookie of its own."""

from collections.abc import AsyncIterator

import httpx
import pytest_asyncio

from e2e.stack import Stack
from tests.web.sse import Upstream


def connect(address: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=address, timeout=30, verify=False)  # loading certificates takes 50 ms


@pytest_asyncio.fixture
async def client(stack: Stack) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(stack.url) as opened:
        yield opened


@pytest_asyncio.fixture
async def stranger(stack: Stack) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody else."""
    async with connect(stack.url) as opened:
        yield opened


@pytest_asyncio.fixture
async def upstream_of(stack: Stack) -> AsyncIterator[Upstream]:
    async with connect(stack.upstream) as opened:
        yield Upstream(opened)
