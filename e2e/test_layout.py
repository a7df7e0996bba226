"""Nothing jumps, nothing stutters, nothing overflows, and the reader stays where the reader is."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from dev.parts import Part
from e2e.pages import Chat
from e2e.stack import Stack
from e2e.upstream import Upstream

SHIFT = 0.02  # cumulative, over a whole turn
PHONE = {"viewport": {"width": 390, "height": 800}}
DESK = {"viewport": {"width": 1280, "height": 800}}
BOTH = pytest.mark.parametrize("options", [DESK, PHONE], ids=["desk", "phone"])


@BOTH
def test_nothing_jumps_while_an_answer_arrives(
    open_chat: Callable[..., Chat], upstream: Upstream, options: dict[str, Any]
) -> None:
    chat = open_chat(**options)
    for parts in ("md-ttft300-itl2", "zh-ttft100-itl2", "cut9-itl5"):
        turn = chat.ask(f"How do I start it? {upstream.name(parts)}")
        expect(turn.root).not_to_have_attribute("data-state", "running")
        _expect_calm(chat)


def test_nothing_jumps_when_there_are_no_sources(open_chat: Callable[..., Chat], upstream: Upstream) -> None:
    chat, name = open_chat(**DESK), upstream.name("ttft100-n30-itl2")
    turn = chat.ask(f"Who won the 1974 football world cup final in Munich? {name}").until("finished")
    expect(turn.root.locator(".no-card")).to_have_text("Nothing in your documents seems to bear on this.")
    assert turn.text() == upstream.text(name)
    _expect_calm(chat)


def test_nothing_jumps_when_half_of_the_search_is_away(
    open_chat: Callable[..., Chat], upstream: Upstream, stack: Stack, part_of: Callable[[str], Part]
) -> None:
    chat, name = open_chat(**DESK), upstream.name("ttft100-n30-itl2")
    stack.kill("chroma")
    try:
        turn = chat.ask(f"How do I start it? {name}").until("finished")
        note = turn.root.locator(".step.is-failed")
        expect(note).to_contain_text("Went on without the search by meaning")
        expect(turn.cards.first).to_be_visible()  # found by words
        assert turn.text() == upstream.text(name)
        _expect_calm(chat)
    finally:
        stack.start(part_of("chroma"))
        stack.wait_until_ready()
    expect(chat.ask(f"How do I start it? {upstream.name('n3')}").cards.first).to_be_visible()


def test_a_long_fast_answer_does_not_stutter(chat: Chat, upstream: Upstream) -> None:
    chat.ask(f"What is a token? {upstream.name('mdlong-itl3.3')}").until("finished")
    tasks = [task["ms"] for task in chat.measured("longTasks")]
    blocked = sum(ms - 50 for ms in tasks)
    print(f"\n{len(tasks)} long tasks, the longest {max(tasks, default=0)} ms, blocked {blocked} ms in all")
    assert blocked <= 1_500
    assert _distance_to_bottom(chat) < 60  # and was followed


def test_a_reader_who_scrolled_up_is_left_alone(open_chat: Callable[..., Chat], upstream: Upstream) -> None:
    chat, name = open_chat(viewport={"width": 900, "height": 500}), upstream.name("gate300-n600")
    chat.ask(f"What is a token? {name}").until_text(upstream.text(name, 299)[-20:])
    chat.poll(lambda: _distance_to_bottom(chat) < 60, "the stream to be followed")
    chat.page.mouse.move(450, 200)
    chat.page.mouse.wheel(0, -300)
    chat.poll(lambda: _distance_to_bottom(chat) > 250, "the wheel to have scrolled")
    before = chat.page.evaluate("() => scrollY")
    upstream.release(name)
    chat.turn().until("finished")
    assert abs(chat.page.evaluate("() => scrollY") - before) < 2
    assert _distance_to_bottom(chat) > 500


def test_a_citation_leads_to_its_card(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('md')}").until("finished")
    chat.page.evaluate("() => { window.same = true; }")
    first = turn.answer.locator("a.cite", has_text="1").first
    first.click()
    card = turn.cards.first
    expect(card).to_be_in_viewport()
    assert card.evaluate("card => card.matches(':target')")
    assert first.get_attribute("href") == f"#{card.get_attribute('id')}"
    expect(turn.answer).to_contain_text("an unknown source [99]")
    expect(turn.answer.locator("a", has_text="99")).to_have_count(0)
    chat.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert chat.page.evaluate("() => window.same")  # the page was not loaded anew


def test_the_sidebar_of_a_phone_opens_and_closes(open_chat: Callable[..., Chat], upstream: Upstream) -> None:
    chat = open_chat(**PHONE)
    sidebar, menu = chat.page.locator("#sidebar"), chat.page.locator(".menu")
    expect(sidebar).to_be_hidden()
    chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    menu.click()
    expect(sidebar.locator("#conversations a")).to_be_in_viewport()
    chat.page.mouse.click(380, 400)  # beside it
    expect(sidebar).to_be_hidden()
    menu.click()
    sidebar.locator("#conversations a").click()
    expect(sidebar).to_be_hidden()
    expect(chat.turns).to_have_count(1)


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
def test_nothing_overflows_sideways(open_chat: Callable[..., Chat], upstream: Upstream, width: int) -> None:
    chat = open_chat(viewport={"width": width, "height": 800})
    _expect_no_overflow(chat)
    chat.ask(f"{'How_do_I_start_it' * 20} {upstream.name('md')}").until("finished")
    _expect_no_overflow(chat)


def _expect_no_overflow(chat: Chat) -> None:
    assert chat.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def _distance_to_bottom(chat: Chat) -> float:
    distance: float = chat.page.evaluate(
        "() => document.documentElement.scrollHeight - scrollY - innerHeight")
    return distance


def _expect_calm(chat: Chat) -> None:
    """No shift since the question was there, those soon after the key included, which CLS forgives."""
    since = chat.measured("seen")[-1]
    began = since["asked"] + since["marks"]["progress"]
    shifts = [each for each in chat.measured("shifts") if each["at"] > began]
    moved = sum(each["value"] for each in shifts)
    assert moved <= SHIFT, "\n".join(f"{each['value']:.4f} {each['what']}" for each in shifts)
