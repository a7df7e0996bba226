"""What is searched for while it is typed is there when it is sent: for the same text and person only."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.web.sse import Message, ask

QUESTION = "How high is the city wall"


async def type_in(client: httpx.AsyncClient, question: Any, conversation: str = "") -> httpx.Response:
    """Brings its cookie along from then on: a first request has none."""
    if not client.cookies:
        await client.get("/")
    return await client.post("/typing", data={"question": question, "conversation": conversation})


def was_warm(said: list[Message]) -> bool:
    spans = {span["name"] for span in said[-1].data["spans"]}
    assert said[-1].event == "finished"
    assert ("warm" in spans) != ("embed" in spans), spans
    return "warm" in spans


def sources(said: list[Message]) -> list[str]:
    (found,) = [message.data["cards"] for message in said if message.event == "sources"]
    return [card["text"] for card in found]


@pytest.mark.parametrize(
    "typed", [QUESTION, "城墙有多高"]
)
async def test_the_same_question_finds_what_was_found(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, typed: str
) -> None:
    scenario = " sim-n2"
    assert (await type_in(client, typed + scenario)).status_code == 204
    warm = await ask(client, typed + scenario)
    cold = await ask(stranger, typed + scenario)
    assert was_warm(warm)
    assert not was_warm(cold), "another person's typing is nobody's business"
    assert sources(warm) == sources(cold)
    assert not was_warm(await ask(client, typed + scenario)), "once"


async def test_another_question_never_gets_it(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    await type_in(client, "Who built the city wall")
    asked = "Where does the tram end? sim-n2"
    said = await ask(client, asked)
    assert not was_warm(said)
    assert sources(said) == sources(await ask(stranger, asked))


@pytest.mark.parametrize(
    "question", ["", " ", "\0", "?", "字" * 400, "a" * 8_000, "a" * 9_000, b"\xed\xa0\x80"]
)
async def test_hostile_typing_is_no_trouble(client: httpx.AsyncClient, question: Any) -> None:
    assert (await type_in(client, question)).status_code == 204


async def test_what_is_no_typing_is_refused_in_a_line(client: httpx.AsyncClient) -> None:
    assert (await type_in(client, "How high", "not-a-uuid")).status_code == 400
    huge = await client.post("/typing", content=b"question=" + b"a" * 200_000)
    assert huge.status_code == 413
    assert (await client.get("/typing")).status_code == 405


async def test_nothing_of_it_is_kept(client: httpx.AsyncClient) -> None:
    conversation = uuid4().hex
    await type_in(client, QUESTION, conversation)
    assert (await client.get(f"/c/{conversation}")).status_code == 404
