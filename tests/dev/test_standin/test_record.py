"""Requests can be read back, waited for and held, all without a sleep."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from dev.standin import scenario
from dev.standin.ledger import Ledger

from .conftest import body


@asynccontextmanager
async def streaming(client: httpx.AsyncClient, model: str) -> AsyncIterator[AsyncIterator[str]]:
    """The contents of a stream, one by one; leaving the block closes the connection."""
    async with client.stream("POST", "/v1/chat/completions", json=body(model)) as answer:
        yield _contents(answer)


async def _contents(answer: httpx.Response) -> AsyncIterator[str]:
    async for line in answer.aiter_lines():
        if line.startswith("data: {"):
            for choice in json.loads(line.removeprefix("data: "))["choices"]:
                if content := choice["delta"].get("content"):
                    yield content


async def released(client: httpx.AsyncClient, key: object, **query: Any) -> dict[str, Any]:
    answer = await client.post(f"/gates/{key}", params=query)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def reached(client: httpx.AsyncClient, key: object, until: str, **query: Any) -> dict[str, Any]:
    answer = await client.get(f"/requests/{key}", params={"until": until, **query})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_a_request_is_recorded_whole(client: httpx.AsyncClient) -> None:
    sent = json.dumps(body("sim-n3", "你好"), ensure_ascii=False)
    answer = await client.post(
        "/v1/chat/completions", content=sent.encode(), headers={"authorization": "Bearer key", "x-mine": "1"}
    )
    (record,) = (await client.get("/requests", params={"model": "sim-n3"})).json()
    assert record["id"] == int(answer.headers["x-request-id"])
    assert (record["model"], record["stream"], record["status"]) == ("sim-n3", True, 200)
    assert (record["body"], record["messages"]) == (sent, [{"role": "user", "content": "你好"}])
    assert (record["headers"]["authorization"], record["headers"]["x-mine"]) == ("(hidden)", "1")
    assert record["received_at"] <= record["first_chunk_at"] <= record["finished_at"]
    assert (record["chunks_sent"], record["outcome"], record["closed_by_client_at"]) == (3, "done", None)


async def test_requests_are_listed_by_model_and_after_an_id(client: httpx.AsyncClient) -> None:
    for model in ("sim-n1", "sim-n2", "sim-n1"):
        await client.post("/v1/chat/completions", json=body(model))
    first, second, third = (await client.get("/requests")).json()
    assert (await client.get("/requests", params={"model": "sim-n1"})).json() == [first, third]
    assert (await client.get("/requests", params={"after": first["id"]})).json() == [second, third]
    assert (await client.delete("/requests")).status_code == 204
    assert (await client.get("/requests")).json() == []


def test_only_the_last_requests_are_kept() -> None:
    ledger = Ledger(kept=2)
    for model in ("a", "b", "c"):
        ledger.open(model, True, [], "", {})
    assert [record.model for record in ledger.listed()] == ["b", "c"]


async def test_leaving_before_the_first_token_is_noticed(client: httpx.AsyncClient) -> None:
    asking = asyncio.create_task(client.post("/v1/chat/completions", json=body("sim-ttft600000-tagearly")))
    record = await reached(client, "sim-ttft600000-tagearly", "received")
    asking.cancel()
    closed = await reached(client, record["id"], "closed")
    assert closed["closed_by_client_at"] >= closed["received_at"]
    assert (closed["first_chunk_at"], closed["finished_at"], closed["chunks_sent"]) == (None, None, 0)
    assert closed["outcome"] == "closed"


async def test_leaving_at_a_gate_is_noticed(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-gate3-tagleave") as contents:
        assert [await anext(contents), await anext(contents)] == ["(1)", " Morning"]
    closed = await reached(client, "sim-gate3-tagleave", "closed")
    assert (closed["chunks_sent"], closed["held_at"]) == (2, None)


async def test_leaving_a_hang_is_noticed_and_nothing_came_after_its_chunk(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-hang2") as contents:
        assert [await anext(contents), await anext(contents)] == ["(1)", " Morning"]
        assert (await reached(client, "sim-hang2", "first_chunk"))["outcome"] == "open"
    assert (await reached(client, "sim-hang2", "closed"))["chunks_sent"] == 2


async def test_a_gate_holds_until_it_is_opened(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-n6-early-gate1-gate4-gate7") as contents:
        at_first = await released(client, "sim-n6-early-gate1-gate4-gate7", at=1)
        assert (at_first["held_at"], at_first["chunks_sent"]) == (1, 0)
        assert "".join([await anext(contents) for _ in range(3)]) == scenario.text("sim-n3")
        assert (await reached(client, at_first["id"], "held", at=4))["chunks_sent"] == 3
        await released(client, at_first["id"])
        assert len([await anext(contents) for _ in range(3)]) == 3
        assert (await released(client, at_first["id"], at=7))["outcome"] == "open"
        assert [rest async for rest in contents] == []
    assert (await reached(client, at_first["id"], "ended"))["outcome"] == "done"


async def test_a_release_for_a_later_chunk_opens_no_earlier_gate(client: httpx.AsyncClient) -> None:
    model = "sim-n3-early-gate1-gate3"
    async with streaming(client, model) as contents:
        await reached(client, model, "held", at=1)
        early = await client.post(f"/gates/{model}", params={"at": 3, "timeout": 0.05})
        assert early.status_code == 408
        assert (await released(client, model, at=1))["chunks_sent"] == 0
        assert (await released(client, model, at=3))["held_at"] == 3
        assert len([content async for content in contents]) == 3


async def test_a_gate_before_the_first_chunk_holds_the_headers_too(client: httpx.AsyncClient) -> None:
    asking = asyncio.create_task(client.post("/v1/chat/completions", json=body("sim-n2-gate1")))
    held = await reached(client, "sim-n2-gate1", "held")
    assert not asking.done()
    await released(client, held["id"])
    assert (await asking).status_code == 200


async def test_gates_can_be_opened_ahead_and_all_at_once(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-n9-gates-early") as contents:
        await released(client, "sim-n9-gates-early", count=2)
        assert (await reached(client, "sim-n9-gates-early", "held", at=3))["chunks_sent"] == 2
        await released(client, "sim-n9-gates-early", count="all")
        assert "".join([content async for content in contents]) == scenario.text("sim-n9")


async def test_a_forgotten_request_keeps_its_gates(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-n2-gate2") as contents:
        held = await reached(client, "sim-n2-gate2", "held", at=2)
        await client.delete("/requests")
        await released(client, held["id"])
        assert len([content async for content in contents]) == 2


async def test_a_model_name_means_its_open_request(client: httpx.AsyncClient) -> None:
    async with streaming(client, "sim-n2-gate2") as first:
        await anext(first)
        older = await reached(client, "sim-n2-gate2", "held")
        async with streaming(client, "sim-n2-gate2") as second:
            newer = await reached(client, "sim-n2-gate2", "held", after=older["id"])
            assert (await released(client, "sim-n2-gate2"))["id"] == newer["id"]
            assert len([content async for content in second]) == 2
        assert (await reached(client, "sim-n2-gate2", "held"))["id"] == older["id"]


async def test_empty_chunks_come_before_the_wait_for_the_first_token(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=body("sim-n1-empty2-gate1")) as answer:
        arrived = answer.aiter_lines()
        seen = [line async for line, _ in _counted(arrived, 3)]
        assert [
            json.loads(line.removeprefix("data: "))["choices"][0]["delta"]["content"] for line in seen
        ] == [""] * 3
        assert (await reached(client, "sim-n1-empty2-gate1", "held"))["first_chunk_at"] is None


async def _counted(arrived: AsyncIterator[str], wanted: int) -> AsyncIterator[tuple[str, int]]:
    seen = 0
    async for line in arrived:
        if line:
            seen += 1
            yield line, seen
        if seen == wanted:
            return


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [
        ("GET", "/requests/999999999", 404, "no request 999999999"),
        ("GET", "/requests/sim-never?timeout=0.01", 408, "Waited 0.01 s for sim-never"),
        ("GET", "/requests/sim-never?until=soon", 400, "until is 'soon', but it takes one of received, held"),
        ("GET", "/requests?after=x", 400, "after is 'x', but it takes a number"),
        ("POST", "/gates/sim-never?timeout=0.01", 408, "Waited"),
    ],
)
async def test_what_cannot_be_is_told_in_one_sentence(
    client: httpx.AsyncClient, method: str, path: str, status: int, told: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert told in answer.json()["error"]["message"]


async def test_it_tells_that_it_is_well(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
