"""The JSON door's contract over a real socket: what is told, in which form, resumed, stopped and refused."""

import asyncio
import json
import socket
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from app.events import KINDS, decode
from dev.standin.scenario import text as text_of
from e2e.stack import Stack
from tests.web.sse import Upstream, ask, asking, follow, messages, scenario, text, told


async def test_the_contract_event_by_event(client: httpx.AsyncClient) -> None:
    said = await ask(client, "How high is the city wall? sim-n12")
    assert all(message.event in KINDS for message in said)
    for message in said:
        assert decode(message.event, json.dumps(message.data))  # strict: a field more or less fails
    names = [message.event for message in said if message.event not in ("step", "delta")]
    assert names == ["started", "routed", "sources", "prompted", "finished"]
    by_name = {message.event: message.data for message in said}
    assert by_name["started"]["question"] == "How high is the city wall? sim-n12"
    assert by_name["started"]["turn"] == UUID(by_name["started"]["turn"]).hex
    assert set(by_name["step"]) == {"name", "state", "detail", "ms"}
    assert set(by_name["routed"]) == {"route", "model", "reason", "larger"}
    assert set(by_name["finished"]) >= {"cached", "model", "route", "usage", "timings", "spans"}
    assert set(by_name["prompted"]) == {"tokens", "prefix"}
    card = by_name["sources"]["cards"][0]
    assert set(card) == {"n", "title", "uri", "page", "start", "end", "text", "score"}
    assert "twelve metres" in card["text"]
    assert [card["n"] for card in by_name["sources"]["cards"]] == [1, 2, 3]
    assert text(said) == text_of("sim-n12")


async def test_ids_number_the_events_from_one(client: httpx.AsyncClient) -> None:
    said = await ask(client, "sim-n12-itl1")
    numbers = [message.id for message in said]
    assert numbers[0] == 1
    assert numbers == sorted(set(numbers))
    assert said[-1].event == "finished"


async def test_chinese_is_answered_as_it_is_asked(client: httpx.AsyncClient) -> None:
    said = await ask(client, "城墙有多高？ sim-zh-n30-splitbytes")
    assert text(said) == text_of("sim-zh-n30")
    (sources,) = [message.data for message in said if message.event == "sources"]
    assert "城墙建于明朝" in sources["cards"][0]["text"]


async def test_sources_come_while_the_model_is_still_silent(
    client: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    name = scenario("n3-gate1")
    async with asking(client, f"city wall {name}") as stream:
        async for message in stream:
            if message.event == "sources":
                break
        held = await upstream_of.open(name, at=1)
        assert held["chunks_sent"] == 0
        assert text([message async for message in stream]) == text_of("sim-n3")


async def test_a_turn_is_read_again_from_any_number(client: httpx.AsyncClient) -> None:
    said = await ask(client, "sim-n40-itl2-jitter5")
    turn = said[0].data["turn"]
    for place, message in enumerate(said):
        assert told(await follow(client, turn, message.id)) == told(said[place + 1 :])
    assert told(await follow(client, turn)) == told(said)


@pytest.mark.parametrize("way", ["after", "Last-Event-ID"])
async def test_resuming_in_the_midst_gives_exactly_the_rest(
    client: httpx.AsyncClient, upstream_of: Upstream, way: str
) -> None:
    name = scenario("zh-n20-gate10")
    had = []
    async with asking(client, name) as stream:
        async for message in stream:
            had.append(message)
            if text(had) == text_of("sim-zh-n9"):
                break
    turn, last = had[0].data["turn"], had[-1].id
    more = {"after": last} if way == "after" else {"after": 1, "Last-Event-ID": str(last)}
    resuming = asyncio.create_task(follow(client, turn, **more))
    await upstream_of.open(name, at=10)
    rest = await resuming
    assert text(had) + text(rest) == text_of("sim-zh-n20")
    assert told(had + rest) == told(await follow(client, turn, 0))


async def test_the_same_turn_twice_is_joined(client: httpx.AsyncClient, upstream_of: Upstream) -> None:
    name, turn = scenario("n6-gate3"), str(uuid4())
    first = asyncio.create_task(ask(client, name, turn=turn))
    await upstream_of.reached(name, "held")
    second = asyncio.create_task(ask(client, name, turn=turn))
    third = asyncio.create_task(follow(client, turn))  # an id may be written with its dashes
    async with asking(client, name, turn=turn) as stream:
        assert (await anext(stream)).event == "started"
    await upstream_of.open(name, at=3)
    told_first = told(await first)
    assert told(await second) == told(await third) == told_first
    assert told(await ask(client, name, turn=turn)) == told_first  # and after it has ended
    assert await upstream_of.asked(name) == 1


async def test_a_conversation_goes_on(client: httpx.AsyncClient, upstream_of: Upstream) -> None:
    first = await ask(client, "What is the first? sim-n2")
    conversation = first[0].data["conversation"]
    name = scenario("n1")
    second = await ask(client, f"And then? {name}", conversation=conversation)
    assert second[0].data["conversation"] == conversation
    asked = (await upstream_of.reached(name, "ended"))["messages"]
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]
    assert asked[1]["content"] == "What is the first? sim-n2"
    assert asked[2]["content"] == text_of("sim-n2")


@pytest.mark.parametrize("gate", [1, 3])
async def test_stop_keeps_what_came_and_closes_the_upstream(
    client: httpx.AsyncClient, upstream_of: Upstream, gate: int
) -> None:
    name = scenario(f"n9-gate{gate}")
    asked = asyncio.create_task(ask(client, name, turn=(turn := uuid4().hex)))
    await upstream_of.reached(name, "held")
    if gate > 1:
        await _until_text(client, turn)
    answer = await client.post(f"/api/turns/{turn}/stop")
    assert (answer.status_code, answer.content) == (204, b"")
    said = await asked
    assert (said[-1].event, said[-1].data["kind"], said[-1].data["retryable"]) == ("failed", "stopped", True)
    assert text(said) == text_of(f"sim-n{gate - 1}")
    assert (await upstream_of.reached(name, "closed"))["outcome"] == "closed"
    assert told(await follow(client, turn)) == told(said)
    assert (await client.post(f"/api/turns/{turn}/stop")).status_code == 204  # it has ended: no mistake


async def _until_text(client: httpx.AsyncClient, turn: str) -> None:
    async with client.stream("GET", f"/api/turns/{turn}/events") as answer:
        async for message in messages(answer):
            if message.event == "delta":
                return


async def test_leaving_does_not_stop_a_turn(client: httpx.AsyncClient, upstream_of: Upstream) -> None:
    name = scenario("n6-gate3")
    async with asking(client, name) as stream:
        turn = (await anext(stream)).data["turn"]
    await upstream_of.open(name, at=3)
    assert (await upstream_of.reached(name, "ended"))["outcome"] == "done"
    assert text(await follow(client, turn)) == text_of("sim-n6")


@pytest.mark.parametrize(
    ("parts", "kind"),
    [("n9-cut4", "upstream_cut"), ("n9-malformed4", "upstream_failed"), ("status401", "upstream_refused")],
)
async def test_a_model_that_fails_is_a_visible_end(client: httpx.AsyncClient, parts: str, kind: str) -> None:
    said = await ask(client, scenario(parts))
    assert (said[-1].event, said[-1].data["kind"]) == ("failed", kind)
    assert [message.event for message in said].count("failed") == 1
    assert text(said) == (text_of("sim-n4") if "n9" in parts else "")


BAD: dict[str, tuple[Any, int, str]] = {
    "nothing": (b"", 400, "no question"),
    "no JSON": (b"question=hi", 400, "no question"),
    "half": (b'{"question": "hi', 400, "no question"),
    "a list": (b"[]", 400, "array"),
    "no question": (b"{}", 400, "question"),
    "a number": (b'{"question": 3}', 400, "question"),
    "null": (b'{"question": null}', 400, "question"),
    "empty": (b'{"question": ""}', 422, "empty"),
    "blank": (b'{"question": " \\n\\u3000\\t"}', 422, "empty"),
    "only NUL": (b'{"question": "\\u0000"}', 422, "empty"),
    "too long": (json.dumps({"question": "字" * 8_001}).encode(), 422, "8001 characters; 8000"),
    "no UTF-8": (b'{"question": "\xff"}', 400, "UTF-8"),
    "a lone surrogate": (b'{"question": "\\ud800 and more"}', 400, "surrogate"),
    "a bad turn": (b'{"question": "hi", "turn": "../x"}', 400, "turn is no UUID"),
    "a bad conversation": (b'{"question": "hi", "conversation": "1"}', 400, "conversation is no UUID"),
    "a turn of another type": (b'{"question": "hi", "turn": 5}', 400, "turn"),
    "fresh of another type": (b'{"question": "hi", "fresh": "yes"}', 400, "fresh"),
    "too large": (b'{"question": "' + b"a" * 140_000 + b'"}', 413, "131072 bytes"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_body_is_refused_in_one_line(client: httpx.AsyncClient, name: str) -> None:
    body, status, said = BAD[name]
    answer = await client.post("/api/turns", content=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert said in error
    assert "\n" not in error


async def test_a_body_of_unknown_length_is_refused(client: httpx.AsyncClient) -> None:
    async def parts() -> Any:
        yield b'{"question": "hi"}'

    answer = await client.post("/api/turns", content=parts())
    assert answer.status_code == 411
    assert "how many" in answer.json()["error"]


async def test_a_question_at_the_limit_and_odd_characters_are_taken(client: httpx.AsyncClient) -> None:
    name = scenario("n1")
    question = f"\x00{name} 🀄\u202e " + "字" * (8_000 - len(name) - 4)
    said = await ask(client, question)
    assert said[0].data["question"] == question.replace("\x00", "")
    assert said[-1].event == "finished"


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9999999999", "%00", "<b>"])
async def test_a_bad_number_is_refused(client: httpx.AsyncClient, after: str) -> None:
    turn = (await ask(client, "sim-n1"))[0].data["turn"]
    answer = await client.get(f"/api/turns/{turn}/events", params={"after": after})
    assert answer.status_code == 400
    assert "takes the number of an event" in answer.json()["error"]


@pytest.mark.parametrize("id_", ["0" * 32, "nothing", "%00", "..%2f..", "x" * 5_000])
async def test_what_is_not_there_is_404(client: httpx.AsyncClient, id_: str) -> None:
    for method, path in (("GET", f"/api/turns/{id_}/events"), ("POST", f"/api/turns/{id_}/stop")):
        answer = await client.request(method, path)
        assert answer.status_code == 404, path
        assert answer.json() == {"error": "There is no such page here, or it is not yours."}


async def test_another_owners_are_not_there(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    """Neither while the turn runs nor after; the answer is that of an id that never was."""
    name, turn, conversation = scenario("n6-gate3"), uuid4().hex, uuid4().hex
    asked = asyncio.create_task(ask(client, name, turn=turn, conversation=conversation))
    await upstream_of.reached(name, "held")
    await ask(stranger, "sim-n1")  # they have a cookie of their own
    for _ in range(2):
        for method, path in (
            ("GET", f"/api/turns/{turn}/events"),
            ("POST", f"/api/turns/{turn}/stop"),
            ("GET", f"/turns/{turn}/events"),
            ("POST", f"/turns/{turn}/stop"),
            ("GET", f"/c/{conversation}"),
            ("POST", f"/c/{conversation}/delete"),
        ):
            assert (await stranger.request(method, path)).status_code == 404, path
        for body in ({"turn": turn}, {"conversation": conversation}):
            answer = await stranger.post("/api/turns", json={"question": "hi", **body})
            assert answer.status_code == 404, body
        assert name not in (await stranger.get("/")).text
        if not asked.done():
            await upstream_of.open(name, at=3)
            assert (await asked)[-1].event == "finished"
    assert (await client.get(f"/c/{conversation}")).status_code == 200


async def test_a_client_that_never_reads_blocks_nobody(client: httpx.AsyncClient, stack: Stack) -> None:
    host, _, port = stack.url.removeprefix("http://").partition(":")
    body = b'{"question": "sim-mdlong-n20000-burst500"}'
    request = b"POST /api/turns HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    frozen = []
    for _ in range(3):
        one = socket.create_connection((host, int(port)))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        one.sendall(request)
        frozen.append(one)
    said = await ask(client, "sim-n20")
    assert text(said) == text_of("sim-n20")
    for one in frozen:
        one.close()
