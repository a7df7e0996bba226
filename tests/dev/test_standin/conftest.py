"""One stand-in in a thread for all of these tests, and a client that sees each write apart."""

import json
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import httpx
import pytest
import pytest_asyncio

from dev.standin.serving import running


@pytest.fixture(scope="session")
def standin() -> Iterator[str]:
    with running() as address:
        yield address


@pytest_asyncio.fixture
async def client(standin: str) -> AsyncIterator[httpx.AsyncClient]:
    plain = httpx.AsyncClient(base_url=standin, timeout=20, verify=False)  # loading certificates takes 50 ms
    async with plain as opened:
        await opened.delete("/requests")
        yield opened


@pytest.fixture(scope="session")
def openai() -> ModuleType:
    return import_module("openai")  # here, because collecting tests need not wait a second for it


def body(model: str, content: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": content}], "stream": True, **more}


async def lines(client: httpx.AsyncClient, asked: dict[str, Any]) -> list[str]:
    """The payload of every server-sent line."""
    answer = await client.post("/v1/chat/completions", json=asked)
    assert answer.status_code == 200, answer.text
    return [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]


def text_of(payloads: list[str]) -> str:
    chunks = [json.loads(one) for one in payloads if one != "[DONE]"]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks if chunk["choices"])
