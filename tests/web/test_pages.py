"""The pages over a real socket: what a person sees, whose it is, and that nobody's text becomes markup."""

import asyncio
from uuid import uuid4

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.conftest import HOSTILE
from tests.web.sse import Upstream, ask, scenario

HX = {"hx-request": "true"}


def parsed(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(html)


def texts(html: str, selector: str) -> list[str]:
    return [" ".join(node.text().split()) for node in parsed(html).css(selector)]


async def history(client: httpx.AsyncClient, conversation: str) -> str:
    """A conversation's page once its last turn is kept, which happens just after its end is told."""
    for _ in range(2_000):
        page = (await client.get(f"/c/{conversation}")).text
        if 'data-state="running"' not in page:
            return page
    raise AssertionError("its turn is never kept")


async def test_the_first_page_invites_a_question(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    page = parsed(answer.text)
    (form,) = page.css("form#composer")
    assert form.attributes["action"] == form.attributes["hx-post"] == "/turns"
    (conversation,) = page.css("input[name=conversation]")
    assert len(conversation.attributes["value"] or "") == 32
    assert page.css(".turn") == page.css("#conversations li") == []


async def test_a_conversation_shows_its_turns_in_order(client: httpx.AsyncClient) -> None:
    conversation = uuid4().hex
    for question in ("First? sim-n3", "第二个？ sim-zh-n3"):
        await ask(client, question, conversation=conversation)
    for path in (conversation, str(uuid4().__class__(conversation))):  # an id may be written with its dashes
        html = await history(client, path)
        assert [line.partition(": ")[2] for line in texts(html, ".question")] == [
            "First? sim-n3",
            "第二个？ sim-zh-n3",
        ]
    states = [turn.attributes["data-state"] for turn in parsed(html).css("article.turn")]
    assert states == ["finished", "finished"]
    assert parsed(html).css("[hx-sse\\:connect]") == []
    (current,) = parsed(html).css("#conversations a[aria-current]")
    assert (current.attributes["href"], current.text()) == (f"/c/{conversation}", "First? sim-n3")


async def test_a_page_of_a_running_turn_goes_on_live(
    client: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    name, conversation, turn = scenario("n4-gate3"), uuid4().hex, uuid4().hex
    asked = asyncio.create_task(ask(client, name, conversation=conversation, turn=turn))
    await upstream_of.reached(name, "held")
    html = (await client.get(f"/c/{conversation}")).text
    (stream,) = parsed(html).css("[hx-sse\\:connect]")
    assert stream.attributes["hx-sse:connect"] == f"/turns/{turn}/events?after=0"
    await upstream_of.open(name, at=3)
    await asked


async def test_a_deleted_conversation_is_gone_and_its_turn_stopped(
    client: httpx.AsyncClient, upstream_of: Upstream
) -> None:
    name, conversation = scenario("n4-gate3"), uuid4().hex
    asked = asyncio.create_task(ask(client, name, conversation=conversation))
    await upstream_of.reached(name, "held")
    answer = await client.post(f"/c/{conversation}/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await upstream_of.reached(name, "closed"))["outcome"] == "closed"
    assert (await asked)[-1].data["kind"] == "stopped"
    assert (await client.get(f"/c/{conversation}")).status_code == 404
    assert (await client.post(f"/c/{conversation}/delete")).status_code == 404
    assert conversation not in (await client.get("/")).text


async def test_hostile_text_is_text_wherever_it_stands(client: httpx.AsyncClient) -> None:
    """In the question, the list, the page's title, a source's text and the answer."""
    conversation = uuid4().hex
    question = f"{HOSTILE} what does a hostile document say? sim-md"
    form = {"question": question, "conversation": conversation, "turn": uuid4().hex}
    article = (await client.post("/turns", data=form, headers=HX)).text
    await ask(client, question, **{k: v for k, v in form.items() if k != "question"})
    for html in (article, await history(client, conversation)):
        tree = parsed(html)
        assert [script for script in tree.css("script") if not script.attributes.get("src")] == []
        assert tree.css("img") == []
        assert [name for node in tree.css("*") for name in node.attributes if name.startswith("on")] == []
        links = [node.attributes["href"] or "" for node in tree.css("a[href]")]
        assert not [link for link in links if "javascript:" in link.lower()]
        assert texts(html, ".question")[0].endswith(" ".join(question.split()))
        assert "{{ 7*7 }}" in html
    assert "pwned" not in str([node.attributes for node in tree.css("*")])
    assert any(HOSTILE in text for text in texts(html, ".card-body"))
    assert texts(html, "#conversations a")[0].startswith("<img src=x")


async def test_what_is_not_there_is_a_page_for_people(client: httpx.AsyncClient) -> None:
    for path in ("/nothing", f"/c/{uuid4().hex}", "/c/<b>", "/turns", "/static/none.js"):
        answer = await client.get(path, headers={"accept": "text/html"})
        assert answer.status_code in (404, 405)
        assert "<h1>" in answer.text
        assert "<b>" not in answer.text


async def test_a_refusal_for_scripts_is_no_markup(client: httpx.AsyncClient) -> None:
    turn = (await ask(client, "sim-n1"))[0].data["turn"]
    answer = await client.get(f"/turns/{turn}/events", params={"after": "<img src=x>"})
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/"), ("GET", "/turns"), ("DELETE", "/api/turns"), ("POST", "/")]
)
async def test_another_method_is_told_which_ones_there_are(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"]


async def test_head_is_get_without_its_body(client: httpx.AsyncClient) -> None:
    for path in ("/", "/healthz", "/static/app.js"):
        answer = await client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


async def test_the_language_is_the_browsers_or_what_was_chosen(client: httpx.AsyncClient) -> None:
    assert 'lang="zh"' in (await client.get("/", headers={"accept-language": "zh-CN,en;q=0.5"})).text
    assert 'lang="en"' in (await client.get("/", headers={"accept-language": "de,xx"})).text
    answer = await client.post("/language/zh", headers={"referer": f"{client.base_url}/c/abc?x=1"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/abc?x=1")
    assert 'lang="zh"' in (await client.get("/", headers={"accept-language": "en"})).text
    assert (await client.post("/language/xx")).status_code == 404


@pytest.mark.parametrize(
    "referer", ["", "x", "http://h//evil.test/a", "http://h/\\evil.test", "javascript://h/%0aalert(1)"]
)
async def test_changing_the_language_leads_nowhere_else(client: httpx.AsyncClient, referer: str) -> None:
    answer = await client.post("/language/en", headers={"referer": referer} if referer else {})
    location = answer.headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
