"""A client of event streams, as a program would write one, and what tests ask of the stand-in behind them."""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx


@dataclass(frozen=True)
class Message:
    id: int
    event: str
    data: Any


async def messages(answer: httpx.Response) -> AsyncIterator[Message]:
    """The JSON door's messages as they come; comments, which keep a connection alive, are no messages."""
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            assert name not in fields, line
            fields[name] = value
        elif fields:
            assert set(fields) == {"id", "event", "data"}
            yield Message(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}


@asynccontextmanager
async def asking(
    client: httpx.AsyncClient, question: str, **more: Any
) -> AsyncIterator[AsyncIterator[Message]]:
    async with client.stream("POST", "/api/turns", json={"question": question, **more}) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield messages(answer)


async def ask(client: httpx.AsyncClient, question: str, **more: Any) -> list[Message]:
    async with asking(client, question, **more) as stream:
        return [message async for message in stream]


async def follow(
    client: httpx.AsyncClient, turn: str, after: int | None = None, **headers: str
) -> list[Message]:
    query = {} if after is None else {"after": after}
    async with client.stream("GET", f"/api/turns/{turn}/events", params=query, headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        return [message async for message in messages(answer)]


def text(said: Iterable[Message]) -> str:
    return "".join(message.data["text"] for message in said if message.event == "delta")


def told(said: Iterable[Message]) -> list[tuple[str, Any]]:
    """What was told, whichever way texts were put together on their way."""
    merged: list[tuple[str, Any]] = []
    for message in said:
        if message.event == "delta" and merged and merged[-1][0] == "delta":
            merged[-1] = ("delta", merged[-1][1] + message.data["text"])
        else:
            merged.append((message.event, message.data["text"] if message.event == "delta" else message.data))
    return merged


def scenario(parts: str) -> str:
    """A scenario that no other test uses, to be named in a question."""
    return f"sim-{parts}-tag{uuid4().hex[:8]}"


class Upstream:
    """The stand-in's side: waits for a request to come so far, and opens its gates."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def reached(self, name: str, until: str, **query: Any) -> dict[str, Any]:
        return await self._shown("GET", f"/requests/{name}", {"until": until, **query})

    async def open(self, name: str, **query: Any) -> dict[str, Any]:
        return await self._shown("POST", f"/gates/{name}", query)

    async def asked(self, name: str) -> int:
        """How many requests there were."""
        return len((await self._client.get("/requests", params={"model": name})).json())

    async def _shown(self, method: str, path: str, query: dict[str, Any]) -> dict[str, Any]:
        answer = await self._client.request(method, path, params=query)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown
