"""Stop, and everything that may go wrong upstream: a visible end, the text kept, the composer free."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from e2e.pages import Chat
from e2e.upstream import Upstream

STOP_SECONDS = 0.5
FIVE = "gate6-n30"


def click_stop(chat: Chat) -> None:
    chat.page.locator("#stop").click()


def press_escape(chat: Chat) -> None:
    chat.page.keyboard.press("Escape")


HOW = pytest.mark.parametrize("stop", [click_stop, press_escape])


@HOW
def test_stop_before_the_first_token(chat: Chat, upstream: Upstream, stop: Callable[[Chat], None]) -> None:
    name = upstream.name("gate1-n9")
    turn = chat.ask(f"What is a token? {name}")
    upstream.until(name, "held", at=1)
    _stop(chat, upstream, name, stop)
    turn.until("failed")
    expect(turn.failure).to_have_text("Stopped.")
    assert turn.text() == ""
    _expect_it_stays(chat)


@HOW
def test_stop_after_the_first_token(chat: Chat, upstream: Upstream, stop: Callable[[Chat], None]) -> None:
    name = upstream.name(FIVE)
    turn = chat.ask(f"What is a token? {name}")
    kept = upstream.text(name, 5).strip()
    chat.poll(lambda: turn.text() == kept, "five tokens")
    _stop(chat, upstream, name, stop)
    turn.until("failed")
    assert turn.text() == kept
    _expect_it_stays(chat)


@pytest.mark.parametrize("broken", ["status500", "status429", "status401", "cut0", "reset0"])
def test_an_upstream_that_fails_before_the_first_token(chat: Chat, upstream: Upstream, broken: str) -> None:
    turn = chat.ask(f"What is a token? {upstream.name(broken)}").until("failed")
    expect(turn.failure).to_be_visible()
    assert turn.text() == ""
    _expect_it_stays(chat)


@pytest.mark.parametrize("broken", ["cut5-n30", "reset5-n30", "malformed5-n30"])
def test_an_upstream_that_fails_in_the_middle_keeps_the_text(
    chat: Chat, upstream: Upstream, broken: str
) -> None:
    name = upstream.name(f"{broken}-itl5")
    turn = chat.ask(f"What is a token? {name}").until("failed")
    expect(turn.failure).to_be_visible()
    # What came in the same packet as the reset, or in the same read as the broken line, may be lost with it.
    assert turn.text() in {upstream.text(name, n).strip() for n in ((5,) if "cut" in broken else (4, 5))}
    _expect_it_stays(chat)


def test_retry_asks_again(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("status403x1-n12")
    failed = chat.ask(f"What is a token? {name}").until("failed")
    failed.retry.click()
    expect(chat.turns).to_have_count(2)
    assert chat.turn().until("finished").text() == upstream.text(name)
    assert len(upstream.requests(name)) == 2


def _stop(chat: Chat, upstream: Upstream, name: str, stop: Callable[[Chat], None]) -> None:
    before = time.time()
    stop(chat)
    ended = upstream.until(name, "closed")["closed_by_client_at"]
    assert ended - before < STOP_SECONDS


def _expect_it_stays(chat: Chat) -> None:
    chat.expect_free()
    live = chat.turn().html()
    chat.page.reload()
    assert chat.turn().html() == live
    chat.expect_free()


def test_another_question_after_a_lost_reply_is_another_turn(chat: Chat, upstream: Upstream) -> None:
    """The server has the first question; the page never heard so, and the person asks something else."""
    first, second = upstream.name("n3"), upstream.name("n4")

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    chat.page.route("**/turns", lose, times=1)
    chat.box.fill(f"How do I start it? {first}")
    chat.page.keyboard.press("Enter")
    expect(chat.page.locator("#notice")).not_to_be_empty()
    turn = chat.ask(f"Which formats can be read? {second}").until("finished")
    assert turn.text() == upstream.text(second)
    chat.page.reload()
    assert chat.turn().text() == upstream.text(second)
    expect(chat.page.locator(".question").last).to_contain_text("Which formats")


def test_the_same_question_after_a_lost_reply_is_the_same_turn(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n3")
    chat.page.route("**/turns", lambda route: (route.fetch(), route.abort()), times=1)
    chat.box.fill(f"How do I start it? {name}")
    chat.page.keyboard.press("Enter")
    expect(chat.page.locator("#notice")).not_to_be_empty()
    chat.page.keyboard.press("Enter")
    turn = chat.turn().until("finished")
    assert turn.text() == upstream.text(name)
    chat.page.reload()
    expect(chat.turns).to_have_count(1)


def test_a_draft_survives_asking_again(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n3")
    chat.ask(f"What is a token? {name}").until("finished")
    chat.box.fill("my long draft")
    chat.turn().root.locator("[data-ask]").click()
    expect(chat.turns).to_have_count(2)
    chat.turn().until("finished")
    expect(chat.box).to_have_value("my long draft")
