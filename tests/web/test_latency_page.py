"""The page /latency over a real socket: figures for everybody, words of nobody, and what they call for."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from selectolax.lexbor import LexborHTMLParser, LexborNode
from sqlalchemy import select
from starlette.exceptions import HTTPException

from app.measures import BUDGETS, MEASURES
from app.settings import Settings
from app.statistics.diagnosis import FEWEST
from app.store import Store, open_store
from app.store.tables import turns
from app.turn import Turn
from e2e.stack import Stack
from tests.conftest import HOSTILE
from tests.measured import a_turn, keep
from tests.web.sse import ask
from tests.web.test_words import HAN
from web.latency.figures import milliseconds, percent
from web.latency.page import LONGEST_LINE, in_line
from web.latency.reading import Reading
from web.latency.report import Choice, report
from web.render import HERE, STATIC
from web.words import LANGUAGES

DAY = 86_400.0
MINE = {"whose": "mine"}


@dataclass
class Asker:
    """A client, and a way to put turns of its own into the application's store."""

    client: httpx.AsyncClient
    store: Store
    owner: str

    async def asked(self, count: int, *, ago: float = 60.0, **figures: Any) -> Sequence[Turn]:
        now = time.time()
        return [await keep(self.store, self.owner, now - ago - n, **figures) for n in range(count)]

    async def page(self, language: str = "en", **choice: str | int) -> LexborHTMLParser:
        return LexborHTMLParser(await html(self.client, language, **choice))


@pytest_asyncio.fixture
async def running_store(stack: Stack) -> AsyncIterator[Store]:
    """The running application's own."""
    async with open_store(Settings(data_dir=stack.folder)) as opened:
        yield opened


@pytest_asyncio.fixture
async def asker(client: httpx.AsyncClient, running_store: Store) -> Asker:
    return await asker_of(client, running_store)


async def asker_of(client: httpx.AsyncClient, store: Store) -> Asker:
    turn, conversation = uuid4().hex, uuid4().hex
    await ask(client, "sim-n1", turn=turn, conversation=conversation)
    async with store.engine.connect() as connection:
        owner = await connection.scalar(select(turns.c.owner).where(turns.c.id == turn))
    assert owner is not None
    assert await store.conversations.remove(owner, conversation)  # it was asked only to learn who asks
    return Asker(client, store, owner)


async def html(client: httpx.AsyncClient, language: str = "en", **choice: str | int) -> str:
    answer = await client.get(
        "/latency",
        params=choice or MINE,
        headers={"accept-language": language},
    )
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return answer.text


def first(node: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    return node.css(selector)[0]


def text(page: LexborHTMLParser, selector: str) -> str:
    (node,) = page.css(selector)
    return " ".join(node.text().split())


def rows(page: LexborHTMLParser, measure: str) -> list[list[str]]:
    """The rows of a measure in the table of percentiles: group, n, p50, p95, p99."""
    (head,) = [code for code in page.css("tbody .measure code") if code.text() == measure]
    body = head
    while body.tag != "tbody":
        assert body.parent is not None
        body = body.parent
    return [[" ".join(cell.text().split()) for cell in row.css("th, td")] for row in body.css("tr")[1:]]


async def test_percentiles_with_their_n_by_group(asker: Asker) -> None:
    await asker.asked(3, prefill=200, route="standard")
    await asker.asked(1, prefill=400, route="deep")
    page = await asker.page()
    assert rows(page, "ttft") == [
        ["all", "4", "234 ms", "404 ms", "428 ms"],
        ["standard", "3", "234 ms", "234 ms", "234 ms"],
        ["deep", "1", "434 ms", "434 ms", "434 ms"],
    ]
    assert [row[0] for row in rows(page, "tpot")] == ["all", "standard", "deep"]
    shown = [code.text() for code in page.css("tbody .measure code")]
    assert shown[: len(MEASURES)] == list(MEASURES)
    assert {"embed", "dense", "search", "prefill", "decode"} <= set(shown)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("route", {"standard", "deep"}),
        ("model", {"large", "small"}),
        ("cached", {"cached", "not cached"}),
    ],
)
async def test_the_same_turns_by_whatever_is_asked(asker: Asker, by: str, groups: set[str]) -> None:
    await asker.asked(2)
    await asker.asked(1, route="deep", model="small", cached=True)
    table = rows(await asker.page(whose="mine", by=by), "ttft")
    assert {row[0] for row in table} == {"all"} | groups
    assert [row[1] for row in table] == ["3", "2", "1"]


async def test_by_day_the_newest_first_and_within_the_time_that_is_asked_for(asker: Asker) -> None:
    for ago in (0.5, 3.5, 20.5, 40.5):
        await asker.asked(1, ago=ago * DAY)
    counts = {}
    for days in (1, 7, 30):
        page = await asker.page(whose="mine", by="day", days=days)
        counts[days] = rows(page, "ttft")[0][1]
        shown = [row[0] for row in rows(page, "ttft")[1:]]
        assert shown == sorted(shown, reverse=True)
    assert counts == {1: "1", 7: "2", 30: "3"}


async def test_budgets_goodput_and_who_broke_them(asker: Asker) -> None:
    await asker.asked(3)
    await asker.asked(1, prefill=1_500, route="deep", model="huge")
    page = await asker.page()
    assert "Goodput: 75.0% of 4 turns met every budget." in first(page, "main").text()
    budgets = first(page, "section:has(td.text) tbody").css("tr")
    table = {first(row, "code").text(): row for row in budgets}
    assert set(table) == set(BUDGETS)
    assert "deep · huge: 1 of 1" in table["ttft"].text()
    assert "75.0%" in table["ttft"].text()
    assert table["ttft"].attributes["class"] == "broken"
    assert "nobody" in table["tpot"].text()
    lines = [node.text() for node in page.css("svg .budget-word")]
    assert any("1,000 ms" in line for line in lines)


@pytest.mark.parametrize(
    ("figures", "said", "lever", "chinese"),
    [
        ({"prefill": 1_500}, "Prefill holds this deployment back", "prefix cache", "拖慢这套部署的是预填充"),
        ({"pace": 90}, "Decode holds this deployment back", "cap on output", "拖慢这套部署的是解码"),
        ({"search": 1_200}, "Retrieval holds this deployment back", "index", "拖慢这套部署的是检索"),
        ({"own": 1_200}, "This application's own part holds", "slowest turns", "拖慢这套部署的是本应用自身"),
        ({"prefill": 300}, "keep their budgets at p95", "smaller model", "还能再快的地方是预填充"),
    ],
)
async def test_one_sentence_says_what_holds_it_back_and_what_helps(
    asker: Asker, figures: dict[str, Any], said: str, lever: str, chinese: str
) -> None:
    await asker.asked(FEWEST, **figures)
    verdict = text(await asker.page(), ".verdict")
    assert said in verdict
    assert lever in verdict
    assert f"n = {FEWEST}" in verdict
    assert "budget 1 s" in verdict
    assert "budget 50 ms" in verdict
    assert chinese in text(await asker.page("zh"), ".verdict")


async def test_too_few_turns_are_no_evidence(asker: Asker) -> None:
    assert text(await asker.page(), ".verdict").startswith("No turns in this time yet")
    assert (await asker.page()).css("svg") == []
    await asker.asked(3)
    assert "3 of the 20" in text(await asker.page(), ".verdict")


async def test_what_was_out_of_sight_is_left_out_and_counted(asker: Asker) -> None:
    await asker.asked(2)
    await asker.asked(1, hidden=True, prefill=9_000)
    await asker.asked(1, painted=False)
    page = await asker.page()
    counts = text(page, ".counts")
    assert "4 turns" in counts
    assert "2 were measured in a browser" in counts
    assert "1 of a hidden tab or a resumed stream" in counts
    assert rows(page, "ttft")[0][1:3] == ["2", "234 ms"]
    assert rows(page, "upstream_ttft")[0][1] == "4"


async def test_the_slowest_turns_have_a_waterfall_and_a_link_for_their_asker_alone(
    asker: Asker, stranger: httpx.AsyncClient
) -> None:
    turn, *_ = await asker.asked(1, prefill=91_234)
    page = await asker.page()
    slow = first(page, ".slow")
    assert first(slow, "b").text() == "91.3 s"
    (link,) = slow.css("a")
    assert link.attributes["href"] == f"/c/{turn.conversation}#t-{turn.id}"
    assert (await asker.client.get(link.attributes["href"] or "")).status_code == 200
    bars = [bar.attributes["class"] for bar in slow.css("svg rect")]
    assert {"stage kind-model", "stage kind-server", "stage kind-browser"} <= set(bars)
    theirs = await html(stranger, whose="all")
    assert turn.conversation not in theirs
    assert turn.id not in theirs
    assert "91.3 s" in [node.text() for node in LexborHTMLParser(theirs).css(".slow b")]


async def test_many_at_once_are_all_answered(asker: Asker) -> None:
    await asker.asked(3)
    pages = await asyncio.gather(*(html(asker.client) for _ in range(6)))
    assert len(set(pages)) == 1


async def test_nobodys_question_is_told(asker: Asker, stranger: httpx.AsyncClient) -> None:
    await asker.asked(1, prefill=60_000)
    secret = a_turn().question
    assert secret not in await html(asker.client, whose="mine")
    assert secret not in await html(stranger, whose="all")


async def test_mine_are_mine(asker: Asker, stranger: httpx.AsyncClient, running_store: Store) -> None:
    other = await asker_of(stranger, running_store)
    await asker.asked(2)
    await other.asked(3)
    assert rows(await asker.page(), "ttft")[0][1] == "2"
    assert rows(await other.page(), "ttft")[0][1] == "3"
    assert int(rows(await asker.page(whose="all"), "ttft")[0][1].replace(",", "")) >= 5


async def test_hostile_names_are_text(asker: Asker) -> None:
    await asker.asked(1, prefill=70_000, route=HOSTILE, model=HOSTILE)
    await asker.asked(1, model="another")
    for by in ("route", "model"):
        page = await asker.page(whose="mine", by=by)
        assert page.css("img") == []
        assert [node for node in page.css("script") if not node.attributes.get("src")] == []
        assert [name for node in page.css("*") for name in node.attributes if name.startswith("on")] == []
        assert any("<img src=x" in row[0] for row in rows(page, "ttft"))


async def test_the_page_keeps_to_the_security_policy_and_needs_no_script(asker: Asker) -> None:
    await asker.asked(2)
    answer = await asker.client.get("/latency", params=MINE)
    assert "style-src 'self'" in answer.headers["content-security-policy"]
    page = LexborHTMLParser(answer.text)
    assert page.css("[style], style, svg script") == []
    assert len(page.css("svg[role=img] > title")) >= 9


async def test_each_choice_is_a_link_that_keeps_the_others(asker: Asker) -> None:
    page = await asker.page(days=30, whose="mine", by="model")
    current = [link.text() for link in page.css(".filters [aria-current]")]
    assert current == ["30 days", "mine", "model"]
    addresses = [link.attributes["href"] or "" for link in page.css(".filters a")]
    assert "/latency?days=1&whose=mine&by=model" in addresses
    assert "/latency?days=30&whose=all&by=model" in addresses
    for address in addresses:
        assert (await asker.client.get(address)).status_code == 200


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"days": "2"}, "days is '2', but it takes one of: 1, 7, 30."),
        ({"whose": "yours"}, "whose is 'yours', but it takes one of: all, mine."),
        ({"by": "<b>"}, "by is '<b>', but it takes one of: route, model, cached, day."),
    ],
)
async def test_a_choice_that_there_is_not_is_refused_with_what_there_is(
    client: httpx.AsyncClient, choice: dict[str, str], said: str
) -> None:
    answer = await client.get("/latency", params=choice, headers={"accept": "text/html"})
    assert answer.status_code == 400
    assert said in first(LexborHTMLParser(answer.text), "h1").text()


async def test_the_page_speaks_chinese_throughout(asker: Asker) -> None:
    await asker.asked(FEWEST)
    page = await asker.page("zh")
    assert first(page, "html").attributes["lang"] == "zh"
    for node in page.css("h1, h2, summary, nav span, svg title, .verdict, .counts li, dt, dd, p.note"):
        assert HAN.search(node.text()), node.text()
    english = await asker.page("en")
    assert not HAN.search(first(english, "main").text().replace("中文", ""))


async def test_the_first_page_leads_there(client: httpx.AsyncClient) -> None:
    page = LexborHTMLParser((await client.get("/")).text)
    (link,) = page.css("#sidebar a[href='/latency']")
    assert link.text() == "Latency"


async def test_a_turn_that_was_really_asked_is_there(client: httpx.AsyncClient) -> None:
    await ask(client, "What about the wall? sim-n3")
    for _ in range(2_000):  # it is kept just after its end is told
        page = LexborHTMLParser(await html(client))
        if page.css("tbody"):
            break
    assert int(rows(page, "upstream_ttft")[0][1]) == 1
    assert "wall" not in first(page, "main").text()


async def test_when_more_turns_there_are_than_are_read_it_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On either database, and however many at a time they are read."""
    monkeypatch.setattr("app.store.measures.PART", 2)
    owner = uuid4().hex
    for n in range(6):
        await keep(store, owner, 1_000.0 + n, painted=n % 2 == 0)
    read = [turn async for part in store.measures.parts(owner, limit=5) for turn in part]
    reading = Reading()
    reading.take(read)
    said = report(reading, Choice(), LANGUAGES["en"], capped=True).facts[0]
    assert said == "Read: the latest 5 turns only, of the last 7 days"
    assert [turn.created for turn in read] == [1_005.0, 1_004.0, 1_003.0, 1_002.0, 1_001.0]
    assert [turn.paint is not None for turn in read] == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.42, "0.4 ms"), (34.0, "34 ms"), (999.0, "999 ms"), (1_250.0, "1.25 s"), (-3.0, "−3 ms")],
)
def test_times_are_said_shortly(value: float, said: str) -> None:
    assert milliseconds(value) == said


def test_a_share_is_never_rounded_up_to_a_whole() -> None:
    assert [percent(part, 10_000) for part in (0, 1, 5_000, 9_999, 10_000)] == [
        "0%",
        "0.1%",
        "50.0%",
        "99.9%",
        "100%",
    ]


def test_every_class_of_the_page_has_looks() -> None:
    """A class in the templates that no stylesheet knows is a slip of the pen."""
    known = set(re.findall(r"\.([a-z][\w-]*)", "".join(f.read_text() for f in STATIC.glob("*.css"))))
    used = {
        name
        for file in (HERE / "templates").glob("latency*.html")
        for names in re.findall(r'class="([\w -]+)"', file.read_text())
        for name in names.split()
    }
    assert used
    assert used <= known


def test_whoever_waits_for_an_answer_comes_before_a_long_line_of_readers() -> None:
    with ExitStack() as line:
        for _ in range(LONGEST_LINE):
            line.enter_context(in_line())
        with pytest.raises(HTTPException) as refused, in_line():
            pass
    assert refused.value.status_code == 503
    with in_line():  # which has moved up
        pass
