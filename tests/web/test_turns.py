"""The page's way to ask, follow and stop, over a real socket: a form in, an article and frames out."""

import asyncio
from uuid import UUID, uuid4

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from dev.standin.scenario import text as text_of
from tests.web.sse import Upstream, ask, scenario

HX = {"hx-request": "true"}


async def posted(client: httpx.AsyncClient, question: str, **more: str) -> httpx.Response:
    return await client.post("/turns", data={"question": question, **more}, headers=HX)


async def frames(
    client: httpx.AsyncClient, turn: str, query: str = "", **headers: str
) -> list[dict[str, str]]:
    """Every message of a page's stream, as a browser takes it apart."""
    answer = await client.get(f"/turns/{turn}/events{query}", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    got = []
    for block in answer.text.split("\n\n"):
        lines = [line.partition(":") for line in block.splitlines() if line and not line.startswith(":")]
        data = "\n".join(value.removeprefix(" ") for name, _, value in lines if name == "data")
        if lines:
            got.append({name: value.removeprefix(" ") for name, _, value in lines} | {"data": data})
    return got


async def test_asking_answers_an_article_with_its_first_step(client: httpx.AsyncClient) -> None:
    turn, conversation = str(uuid4()), str(uuid4())
    answer = await posted(client, "How high? sim-n3", turn=turn, conversation=conversation)
    assert answer.status_code == 200
    tree = LexborHTMLParser(answer.text)
    (article,) = tree.css("article.turn")
    assert article.attributes["data-turn"] == UUID(turn).hex
    assert article.attributes["data-state"] == "running"
    assert "Searching your documents" in article.text()
    (stream,) = tree.css("[hx-sse\\:connect]")
    after = int((stream.attributes["hx-sse:connect"] or "").rpartition("after=")[2])
    assert after >= 3  # started and both first steps stand in the article already
    (item,) = tree.css("template[data-conversation]")
    assert item.attributes["data-conversation"] == UUID(conversation).hex


async def test_the_stream_tells_the_rest_and_says_when_it_is_done(client: httpx.AsyncClient) -> None:
    turn = uuid4().hex
    await posted(client, "sim-n12", turn=turn)
    got = await frames(client, turn, "?after=3")
    assert got[-1] == {"event": "done", "data": ""}
    numbers = [int(frame["id"]) for frame in got[:-1]]
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 3
    html = "".join(frame["data"] for frame in got)
    assert text_of("sim-n12") in LexborHTMLParser(html).text()
    again = await frames(client, turn, f"?after={numbers[-1]}")
    assert again == [{"event": "done", "data": ""}]
    assert await frames(client, turn, "?after=0", **{"last-event-id": str(numbers[-1])}) == again


async def test_without_scripts_a_question_leads_to_its_page(client: httpx.AsyncClient) -> None:
    conversation = uuid4().hex
    answer = await client.post("/turns", data={"question": "sim-n1", "conversation": conversation})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/c/{conversation}")


async def test_a_repeated_post_is_the_same_turn(client: httpx.AsyncClient, upstream_of: Upstream) -> None:
    name, turn, conversation = scenario("n3-gate2"), uuid4().hex, uuid4().hex
    await client.get("/")  # from here on it has a cookie
    answers = await asyncio.gather(
        *(posted(client, name, turn=turn, conversation=conversation) for _ in range(4))
    )
    assert [answer.status_code for answer in answers] == [200] * 4
    assert len([answer for answer in answers if "data-conversation" in answer.text]) == 1
    await upstream_of.open(name, at=2)
    assert (await frames(client, turn))[-1]["event"] == "done"
    assert await upstream_of.asked(name) == 1


async def test_stop_before_the_first_token_leaves_a_retry(
    client: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    name, turn = scenario("n3-gate1"), uuid4().hex
    await posted(client, name, turn=turn)
    await upstream_of.reached(name, "held")
    assert (await client.post(f"/turns/{turn}/stop")).status_code == 204
    html = "".join(frame["data"] for frame in await frames(client, turn))
    (retry,) = LexborHTMLParser(html).css("button[data-ask]")
    assert retry.attributes["data-ask"] == name
    assert (await upstream_of.reached(name, "closed"))["outcome"] == "closed"


@pytest.mark.parametrize(
    ("question", "status", "said"),
    [
        ("", 422, "问题是空的"),
        ("  \n", 422, "问题是空的"),
        ("🀄" * 8_001, 422, "8001"),
        ("a" * 140_000, 413, "131072"),
    ],
)
async def test_a_bad_question_is_told_in_the_readers_language(
    client: httpx.AsyncClient, question: str, status: int, said: str
) -> None:
    answer = await client.post("/turns", data={"question": question}, headers=HX | {"accept-language": "zh"})
    assert answer.status_code == status
    assert said in answer.text
    assert "<" not in answer.text


@pytest.mark.parametrize("name", ["turn", "conversation"])
async def test_a_bad_id_is_refused(client: httpx.AsyncClient, name: str) -> None:
    answer = await posted(client, "hi", **{name: "../x"})
    assert answer.status_code == 400
    assert answer.text == f"{name} is no UUID."


async def test_files_and_crowds_of_fields_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/turns", files={"question": ("a.txt", b"x")}, headers=HX)
    assert answer.status_code == 400
    answer = await client.post(
        "/turns", data={"question": "", **{f"f{n}": "x" for n in range(50)}}, headers=HX
    )
    assert answer.status_code in (400, 422)


async def test_one_turn_at_both_doors_is_one_turn(client: httpx.AsyncClient) -> None:
    turn = uuid4().hex
    await posted(client, "sim-n5", turn=turn)
    said = await ask(client, "sim-n5", turn=turn)
    assert said[-1].event == "finished"


async def test_a_turn_is_not_asked_something_else(client: httpx.AsyncClient) -> None:
    turn = uuid4().hex
    assert (await posted(client, "sim-n2 first", turn=turn)).status_code == 200
    assert (await posted(client, "sim-n2 first", turn=turn)).status_code == 200
    refused = await posted(client, "sim-n2 second", turn=turn)
    assert (refused.status_code, "asked something else" in refused.text) == (409, True)
    api = await client.post("/api/turns", json={"question": "sim-n2 second", "turn": turn})
    assert (api.status_code, "asked something else" in api.json()["error"]) == (409, True)
