"""Everything by keyboard, Chinese input methods included, and what assistive technology finds."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import Locator, expect

from e2e.pages import Chat
from e2e.upstream import Upstream

HELD = "gate3-n20"
FORWARD, BACK = "Tab", "Shift+Tab"


def test_enter_while_composing_does_not_send(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n5")
    chat.box.fill(f"{name} ")
    keys = chat.page.context.new_cdp_session(chat.page)
    keys.send("Input.imeSetComposition", {"text": "ni'hao", "selectionStart": 6, "selectionEnd": 6})
    keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "Enter", "windowsVirtualKeyCode": 13})
    expect(chat.turns).to_have_count(0)
    keys.send("Input.insertText", {"text": "你好"})
    # Safari ends the composition before the key: only the key's code tells.
    chat.box.evaluate("""box => box.dispatchEvent(new KeyboardEvent("keydown",
        {key: "Enter", keyCode: 229, bubbles: true, cancelable: true}))""")
    expect(chat.turns).to_have_count(0)
    expect(chat.box).to_have_value(f"{name} 你好")
    assert upstream.requests(name) == []
    chat.box.press("Enter")
    assert chat.turn().until("finished").text() == upstream.text(name)


def test_keys_of_the_composer(chat: Chat, upstream: Upstream) -> None:
    chat.page.locator("#welcome h1").click()
    expect(chat.box).not_to_be_focused()
    chat.page.keyboard.press("/")
    expect(chat.box).to_be_focused()
    expect(chat.box).to_have_value("")
    chat.page.keyboard.type("one")
    chat.page.keyboard.press("Shift+Enter")
    chat.page.keyboard.type(f"two {upstream.name('n3')}")
    question = chat.box.input_value()
    assert question.startswith("one\ntwo")
    expect(chat.turns).to_have_count(0)
    chat.page.keyboard.press("Enter")
    chat.turn().until("finished")
    expect(chat.box).to_have_value("")
    expect(chat.box).to_be_focused()
    chat.page.keyboard.press("ArrowUp")
    expect(chat.box).to_have_value(question)
    chat.page.reload()
    chat.box.press("ArrowUp")
    expect(chat.box).to_have_value(question)
    chat.page.keyboard.press("Control+Shift+O")
    expect(chat.turns).to_have_count(0)


def test_an_empty_question_is_not_sent(chat: Chat) -> None:
    chat.box.fill("  \n ")
    chat.box.press("Enter")
    expect(chat.box).to_have_value("  \n ")
    expect(chat.turns).to_have_count(0)


def test_every_part_is_reached_by_tab(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('n5')}").until("finished")
    conversation = chat.page.locator("#conversations a")
    for wanted, key in ((turn.retry, BACK), (turn.cards.last.locator(".card-face"), BACK),
                        (turn.cards.first.locator(".card-face"), BACK), (conversation, BACK),
                        (turn.cards.first.locator(".card-face"), FORWARD), (chat.box, FORWARD)):
        _tab_to(chat, wanted, key)


def test_escape_closes_a_card_first_and_only_then_stops(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name(HELD)
    turn = chat.ask(f"How do I start it? {name}").until_text("Morning")
    _tab_to(chat, turn.cards.first.locator(".card-face"), BACK)
    chat.page.keyboard.press("Enter")
    full = turn.root.locator(".card-full").first
    expect(full).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(full).to_be_hidden()
    assert upstream.until(name, "held", at=3)["outcome"] == "open"
    expect(turn.root).to_have_attribute("data-state", "running")
    chat.page.keyboard.press("Escape")
    turn.until("failed")


def test_escape_closes_the_open_sidebar_first_and_only_then_stops(
    open_chat: Callable[..., Chat], upstream: Upstream
) -> None:
    chat = open_chat(viewport={"width": 390, "height": 800})
    turn = chat.ask(f"How do I start it? {upstream.name(HELD)}").until_text("Morning")
    sidebar = chat.page.locator("#sidebar")
    chat.page.locator(".menu").click()
    expect(sidebar).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(sidebar).to_be_hidden()
    expect(turn.root).to_have_attribute("data-state", "running")
    chat.page.keyboard.press("Escape")
    turn.until("failed")


@pytest.mark.parametrize("options", [
    {}, {"color_scheme": "dark"}, {"locale": "zh-CN"}, {"viewport": {"width": 390, "height": 800}},
], ids=["light", "dark", "chinese", "phone"])
def test_axe_finds_nothing_serious(
    open_chat: Callable[..., Chat], upstream: Upstream, options: dict[str, Any]
) -> None:
    chat = open_chat(**options)
    assert _serious(chat) == []
    turn = chat.ask(f"How do I start it? {upstream.name('md')}").until("finished")
    assert _serious(chat) == []
    chat.ask(f"How do I start it? {upstream.name('status400')}").until("failed")
    assert _serious(chat) == []
    turn.cards.first.locator(".card-face").click()
    assert _serious(chat) == []


def _tab_to(chat: Chat, wanted: Locator, key: str) -> None:
    for _ in range(60):
        chat.page.keyboard.press(key)
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{key} does not reach {wanted}")


def _serious(chat: Chat) -> list[str]:
    found = Axe().run(chat.page).response["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found
            if each["impact"] in ("serious", "critical") for node in each["nodes"]]
