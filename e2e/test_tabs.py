"""Many tabs of one browser, each with a stream of its own: HTTP/1.1 has six connections for all of them."""

from playwright.sync_api import expect

from e2e.pages import Chat, Turn
from e2e.stack import Stack
from e2e.upstream import Upstream

TABS = 8


def test_eight_tabs_with_a_running_stream_each_and_a_ninth_that_loads(
    chat: Chat, upstream: Upstream, stack: Stack
) -> None:
    tabs = [chat, *(Chat(chat.page.context, stack.url) for _ in range(TABS - 1))]
    asked: list[tuple[Turn, str]] = []
    for tab in tabs:
        name = upstream.name("gate70-n100-itl2")
        asked.append((tab.open().ask(f"What is a token? {name}"), name))
    ninth = Chat(chat.page.context, stack.url).open()  # while all eight are held
    expect(ninth.page.locator("#welcome h1")).to_be_visible()
    for turn, name in asked:  # every one of them comes along, though not all can listen at once
        turn.until_text(upstream.text(name, 69)[-20:])
    for _, name in asked:
        upstream.release(name)
    for turn, name in asked:
        assert turn.until("finished").text() == upstream.text(name)
    assert [tab.faults() for tab in tabs] == [[]] * TABS
