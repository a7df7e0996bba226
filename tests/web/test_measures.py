"""A turn's figures over a real socket: what its browser tells, what is refused, and whose they are."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from app.settings import Settings
from app.store import open_store
from e2e.stack import Stack
from tests.web.sse import Upstream, ask, scenario
from web.measures import LARGEST_PAINT
from web.render import duration

HX = {"hx-request": "true"}
SEEN: dict[str, Any] = {
    "sent": 2.5, "got": 9, "ttfp": 10.0, "ttfs": 11.0, "ttft": 12.0, "last": 17.0, "end": 20.0,
    "stall_max": 5.0, "hidden": False, "resumed": False,
}  # fmt: skip


async def asked(client: httpx.AsyncClient, question: str = "How old is the city wall? sim-n3") -> str:
    said = await ask(client, question)
    turn: str = said[0].data["turn"]
    return turn


async def watched(client: httpx.AsyncClient, question: str, conversation: str = "") -> str:
    """A turn as a browser asks it: the article, then its frames to the end."""
    turn = uuid4().hex
    form = {"question": question, "turn": turn, "conversation": conversation or uuid4().hex}
    assert (await client.post("/turns", data=form, headers=HX)).status_code == 200
    assert (await client.get(f"/turns/{turn}/events")).text.endswith("event: done\ndata: \n\n")
    return turn


async def seen(client: httpx.AsyncClient, turn: str) -> dict[str, Any]:
    """What a browser can have seen of a turn: a little after the server had it."""
    answer = await client.get(f"/api/turns/{turn}/measures")
    took = answer.json()["record"]["timings"] if answer.status_code == 200 else {}
    text = {"ttft": took["ttft"] + 20, "last": took["ttft"] + 25} if "ttft" in took else {}
    return SEEN | text | {"end": took.get("total", 0.0) + 40}


async def tell(client: httpx.AsyncClient, turn: str, **other: Any) -> httpx.Response:
    return await client.post(f"/turns/{turn}/paint", json=await seen(client, turn) | other)


async def figures(client: httpx.AsyncClient, turn: str) -> dict[str, Any]:
    answer = await client.get(f"/api/turns/{turn}/measures")
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found: dict[str, Any] = answer.json()
    return found


async def test_what_a_browser_saw_is_kept(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    before = await figures(client, turn)
    assert before["paint"] is None
    paint = await seen(client, turn)
    answer = await tell(client, turn)
    assert (answer.status_code, answer.content) == (204, b"")
    after = await figures(client, turn)
    assert after["paint"] == paint
    assert after["record"] == before["record"]
    assert after["values"]["ttft"] == round(paint["ttft"], 2)
    assert {stage["name"] for stage in after["stages"]} - {stage["name"] for stage in before["stages"]} == {
        "send",
        "deliver",
    }


async def test_the_figures_are_those_of_the_events(client: httpx.AsyncClient) -> None:
    said = await ask(client, "How old is the city wall? sim-n3")
    found = await figures(client, said[0].data["turn"])
    by_name = {message.event: message.data for message in said}
    end = by_name["finished"]
    assert {key: end[key] for key in ("model", "route", "usage", "timings", "cached")} == {
        key: found["record"][key] for key in ("model", "route", "usage", "timings", "cached")
    }
    assert found["record"]["spans"] == end["spans"]
    assert found["record"]["prompt"] == by_name["prompted"]["tokens"]
    assert {"queue", "route", "history", "embed", "dense", "prompt", "connect", "prefill", "decode"} <= {
        stage["name"] for stage in found["stages"]
    }
    assert set(found) == {"record", "paint", "rendered", "values", "stages"}


async def test_the_first_word_counts(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    for hidden in (False, True):
        assert (await tell(client, turn, hidden=hidden)).status_code == 204
        assert (await figures(client, turn))["paint"]["hidden"] is False


async def test_nobody_gives_or_gets_anothers(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    turn = await asked(client)
    for answer in (
        await tell(stranger, turn),
        await stranger.get(f"/api/turns/{turn}/measures"),
        await stranger.get(f"/turns/{turn}/waterfall"),
        await tell(client, uuid4().hex),
        await tell(client, "none"),
    ):
        assert answer.status_code == 404
    assert (await figures(client, turn))["paint"] is None


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "no measurement"),
        (b"{", 400, "no measurement"),
        (b"[]", 400, "no measurement"),
        (b'{"sent":1,"got":2}', 400, "missing required field `end`"),
        (b'{"sent":1,"got":"2","end":3}', 400, "`$.got`"),
        (b'{"sent":1,"got":2,"end":3,"who":4}', 400, "`who`"),
        (b'{"sent":1,"got":2,"end":1e999}', 400, ""),
        (b'{"sent":-1,"got":2,"end":3}', 422, "negative"),
        (b'{"sent":1,"got":2,"end":99999999}', 422, "an hour"),
        (b'{"sent":1,"got":2,"end":300,"ttft":299,"last":100}', 422, "out of order"),
        (b'{"sent":1,"got":2,"end":300000,"ttft":299000,"last":299000}', 422, "still to come"),
        (b'{"sent":1,"got":2,"end":9,"ttft":3,"last":9}', 422, "before there was"),
        (b'{"sent":1,"got":2,"end":9}', 422, "none of the text"),
    ],
)
async def test_what_nobody_can_have_seen_is_refused(
    client: httpx.AsyncClient, body: bytes, status: int, said: str
) -> None:
    turn = await asked(client, "sim-ttft100-n3")
    answer = await client.post(f"/turns/{turn}/paint", content=body)
    assert answer.status_code == status, answer.text
    assert said in answer.text
    assert "\n" not in answer.text.strip()
    assert (await figures(client, turn))["paint"] is None


@pytest.mark.parametrize("chunked", [False, True])
async def test_what_is_too_large_is_not_read(client: httpx.AsyncClient, chunked: bool) -> None:
    turn = await asked(client)

    async def endless() -> Any:
        for _ in range(1_000):
            yield b" " * 1_000

    content = endless() if chunked else b" " * (LARGEST_PAINT + 1)
    answer = await client.post(f"/turns/{turn}/paint", content=content)
    assert answer.status_code == 413
    assert str(LARGEST_PAINT) in answer.text


async def test_another_site_tells_nothing(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    answer = await client.post(f"/turns/{turn}/paint", json=SEEN, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


async def test_a_turn_that_runs_has_no_figures_yet(client: httpx.AsyncClient, upstream_of: Upstream) -> None:
    name, turn = scenario("n4-gate3"), uuid4().hex
    running = asyncio.create_task(ask(client, name, turn=turn))
    await upstream_of.reached(name, "held")
    for answer in (
        await tell(client, turn),
        await client.get(f"/api/turns/{turn}/measures"),
        await client.get(f"/turns/{turn}/waterfall"),
    ):
        assert answer.status_code == 409
        assert "not ended" in answer.text
    await upstream_of.open(name, at=3)
    await running
    assert (await tell(client, turn)).status_code == 204


async def test_a_turn_that_failed_has_what_it_has(client: httpx.AsyncClient) -> None:
    turn = await asked(client, "sim-status400")
    assert (await tell(client, turn)).status_code == 422  # there was no text
    assert (await tell(client, turn, ttft=None, last=None, stall_max=0)).status_code == 204
    found = await figures(client, turn)
    assert found["record"]["outcome"] == "upstream_refused"
    assert "ttft" not in found["values"]
    assert found["values"]["total"] == pytest.approx(found["record"]["timings"]["total"] + 40, abs=0.01)
    drawn = await client.get(f"/turns/{turn}/waterfall", headers=HX)
    assert "<svg" in drawn.text


async def test_a_turn_from_before_measuring_has_what_its_transcript_tells(
    client: httpx.AsyncClient, stack: Stack
) -> None:
    turn = await asked(client)
    kept = await figures(client, turn)
    async with open_store(Settings(data_dir=stack.folder)) as store, store.engine.begin() as connection:
        await connection.execute(text("DELETE FROM records WHERE turn = :turn"), {"turn": turn})
    assert (await figures(client, turn))["record"] == kept["record"]


async def test_a_deleted_conversation_has_no_figures(client: httpx.AsyncClient) -> None:
    conversation = uuid4().hex
    said = await ask(client, "sim-n3", conversation=conversation)
    turn = said[0].data["turn"]
    await figures(client, turn)
    assert (await client.post(f"/c/{conversation}/delete")).status_code == 303
    assert (await client.get(f"/api/turns/{turn}/measures")).status_code == 404


async def test_what_drawing_cost_stands_beside_it(client: httpx.AsyncClient) -> None:
    turn = await watched(client, "How old is the city wall? sim-n20-itl20")
    await tell(client, turn)
    found = await figures(client, turn)
    drawn = found["rendered"]
    assert 0 < drawn["first"] < drawn["total"]
    assert drawn["frames"] > 3
    (bar,) = [stage for stage in found["stages"] if stage["name"] == "render"]
    (prefill,) = [stage for stage in found["stages"] if stage["name"] == "prefill"]
    assert bar["start"] == pytest.approx(prefill["start"] + prefill["ms"], abs=1)


async def test_a_program_that_draws_nothing_has_no_drawing(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    await tell(client, turn)
    assert (await figures(client, turn))["rendered"] is None


async def test_the_waterfall_is_a_fragment_or_a_page(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    fragment = (await client.get(f"/turns/{turn}/waterfall", headers=HX)).text
    page = (await client.get(f"/turns/{turn}/waterfall")).text
    assert "<html" not in fragment
    assert "<html" in page
    for html in (fragment, page):
        tree = LexborHTMLParser(html)
        (picture,) = tree.css("svg.gantt")
        names = [head.text() for head in tree.css("tbody th")]
        assert {"queue", "vector search", "prefill", "decode"} <= set(names)
        assert all(row.css("td")[2].text() for row in tree.css("tbody tr"))  # what each one is
        assert "prefill" in picture.text()
        assert [node for node in tree.css("*") if "style" in node.attributes] == []
    (back,) = LexborHTMLParser(page).css("main a")
    assert (await client.get(back.attributes["href"] or "")).status_code == 200


async def test_it_says_whose_clock_it_is(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    before = (await client.get(f"/turns/{turn}/waterfall", headers=HX)).text
    assert "server's part only" in before.replace("&#39;", "'")
    assert "first source" not in before
    await tell(client, turn, hidden=True)
    after = (await client.get(f"/turns/{turn}/waterfall", headers=HX)).text
    for words in ("on one clock", "first source", "delivery", "in the background"):
        assert words in after


async def test_the_prompts_budget_adds_up(client: httpx.AsyncClient) -> None:
    turn = await asked(client, "How old is the city wall? sim-n7")
    record = (await figures(client, turn))["record"]
    html = (await client.get(f"/turns/{turn}/waterfall", headers=HX)).text
    tree = LexborHTMLParser(html)
    told = [int(node.text().replace(",", "")) for node in tree.css(".prompt li b")]
    assert told == list(record["prompt"].values())
    widths = [float(node.attributes["width"] or 0) for node in tree.css(".prompt-bar rect")]
    assert sum(widths) == pytest.approx(100)
    (prefix,), (budget,) = tree.css(".prompt code"), tree.css(".prompt")
    assert prefix.text() == record["prefix"]
    said = budget.text()
    usage = record["usage"]
    assert f"{usage['prompt_tokens']:,} tokens by the provider's count" in said
    assert f"{usage['cached_tokens']:,} of them" in said


async def test_it_speaks_chinese(client: httpx.AsyncClient) -> None:
    turn = await asked(client)
    headers = HX | {"accept-language": "zh"}
    html = (await client.get(f"/turns/{turn}/waterfall", headers=headers)).text
    for words in ("时间花在哪里", "预填充", "模型读了什么", "指令", "只有服务器的部分"):
        assert words in html


async def test_the_line_under_an_answer(client: httpx.AsyncClient) -> None:
    conversation = uuid4().hex
    turn = await watched(client, "How old is the city wall? sim-n20-itl5", conversation)
    await figures(client, turn)

    async def line() -> list[str]:
        page = LexborHTMLParser((await client.get(f"/c/{conversation}")).text)
        return [" ".join(node.text().split()) for node in page.css("details.measured summary > span")]

    first, total, pace, model, route, cached, _ = await line()
    assert first.startswith("first token ")
    assert total.startswith("total ")
    assert pace.endswith(" tokens/s")
    assert (model, cached) == ("asked", "not cached")
    assert " · " in route, "the route, and why it was taken"
    paint = await seen(client, turn)
    await tell(client, turn)
    assert (await line())[:2] == [
        f"first token {duration(paint['ttft'])}",
        f"total {duration(paint['end'])}",
    ]
