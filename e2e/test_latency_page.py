"""The page /latency in a real browser: readable in the dark, on a telephone, in Chinese, without scripts."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from app.settings import Settings
from app.store import open_store
from app.store.tables import turns
from e2e.pages import Chat
from e2e.stack import Stack
from e2e.upstream import Upstream
from tests.measured import keep

MANY = 60
LONG = "a-model-with-a-name-of-its-own-that-goes-on-for-longer-than-any-telephone-is-wide-2026-12-01"
PAGE = "/latency?whose=mine&by=day"
# Text that a chart's own box would cut off, by the fonts that are really there; half a unit is rounding.
CUT_OFF = """() => [...document.querySelectorAll("svg.chart")].flatMap(chart => {
    const {width, height} = chart.viewBox.baseVal;
    return [...chart.querySelectorAll("text")].filter(text => {
        const box = text.getBBox();
        return box.x < -.5 || box.x + box.width > width + .5 || box.y + box.height > height + .5;
    }).map(text => text.textContent);
})"""


@pytest.fixture
def measured(open_chat: Callable[..., Chat], upstream: Upstream, stack: Stack) -> Callable[..., Chat]:
    """A chat whose reader has asked a good many questions, opened at the page."""

    def open_(**options: Any) -> Chat:
        chat = open_chat(**options)
        turn = chat.ask(f"How do I start it? {upstream.name('n5')}").until("finished")
        with ThreadPoolExecutor(1) as thread:  # Playwright's own loop runs in this one
            thread.submit(asyncio.run, _ask_many(stack, turn.id)).result()
        return chat.open(PAGE)

    return open_


async def _ask_many(stack: Stack, turn: str) -> None:
    async with open_store(Settings(data_dir=stack.folder)) as store:
        async with store.engine.connect() as connection:
            owner = await connection.scalar(select(turns.c.owner).where(turns.c.id == turn))
        assert owner is not None
        for n in range(MANY):
            model = ("large", LONG)[n % 2]
            created = time.time() - n * 0.1 * 86_400
            await keep(store, owner, created, prefill=100 + 40 * n, prompt=300 + 90 * n, model=model)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"color_scheme": "dark"},
        {"locale": "zh-CN"},
        {"viewport": {"width": 390, "height": 800}},
        {"viewport": {"width": 390, "height": 800}, "locale": "zh-CN", "color_scheme": "dark"},
    ],
    ids=["light", "dark", "chinese", "phone", "chinese-phone-dark"],
)
def test_the_page_is_readable(measured: Callable[..., Chat], options: dict[str, Any]) -> None:
    chat = measured(**options)
    expect(chat.page.locator(".verdict")).to_contain_text("n = 6")
    chat.page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
    assert _wider_than_the_screen(chat.page) == 0
    assert chat.page.evaluate(CUT_OFF) == []
    assert Axe().run(chat.page).response["violations"] == []
    assert chat.faults() == []


def test_it_is_read_without_scripts(
    measured: Callable[..., Chat], new_context: Callable[..., BrowserContext], stack: Stack
) -> None:
    cookies = measured().page.context.cookies()
    context = new_context(java_script_enabled=False)
    context.add_cookies([{"name": c["name"], "value": c["value"], "url": stack.url} for c in cookies])
    page = context.new_page()
    page.goto(stack.url + PAGE)
    expect(page.locator("svg.chart").first).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("prefill", ignore_case=True)
    second = page.locator(".slow").nth(1)
    expect(second.locator("svg")).to_be_hidden()
    second.locator("summary").click()
    expect(second.locator("svg")).to_be_visible()
    page.get_by_role("link", name="1 day").click()
    expect(page.locator(".filters [aria-current]").first).to_have_text("1 day")


def test_the_first_page_leads_there_and_a_slow_turn_leads_back(measured: Callable[..., Chat]) -> None:
    chat = measured()
    chat.open("/").page.locator("#sidebar a[href='/latency']").click()
    expect(chat.page.locator("h1")).to_have_text("Latency")
    chat.open(PAGE).page.locator(".slow a").first.click()
    expect(chat.turns).to_have_count(1)
    assert chat.faults() == []


def _wider_than_the_screen(page: Page) -> int:
    wider: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wider
