"""Reload, a second tab, a lost network, a closed tab, a dead server: the answer goes on or ends visibly."""

from collections.abc import Callable, Generator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Route, expect
from redis import Redis

from app.turnlog import unpack
from dev.parts import Part
from e2e.pages import Chat, Turn
from e2e.proxy import Proxy
from e2e.stack import Stack, wait_for
from e2e.upstream import Upstream

HELD = 70  # the token before which the upstream holds: in the second paragraph


@pytest.fixture
def proxy(stack: Stack) -> Generator[Proxy, None, None]:
    at = urlsplit(stack.url)
    made = Proxy((str(at.hostname), int(at.port or 0)))
    yield made
    made.cut()


def ask_held(chat: Chat, upstream: Upstream) -> tuple[Turn, str]:
    """An answer that stands still in the middle, with all that came before on the page."""
    name = upstream.name(f"gate{HELD}-n100")
    turn = chat.ask(f"What is a token? {name}")
    before = upstream.text(name, HELD - 1).strip()
    chat.poll(lambda: turn.text() == before, "the first half")
    return turn, name


def test_a_reload_goes_on_at_the_right_character(chat: Chat, upstream: Upstream) -> None:
    _, name = ask_held(chat, upstream)
    chat.page.reload()
    turn = chat.turn()
    assert turn.text() == upstream.text(name, HELD - 1).strip()
    expect(chat.page.locator("#stop")).to_be_visible()
    upstream.release(name)
    assert turn.until("finished").text() == upstream.text(name)


def test_a_second_tab_follows_the_same_answer(
    chat: Chat, upstream: Upstream, stack: Stack
) -> None:
    first, name = ask_held(chat, upstream)
    second = Chat(chat.page.context, stack.url).open(urlsplit(chat.page.url).path)
    upstream.release(name)
    assert first.until("finished").text() == upstream.text(name)
    assert second.turn().until("finished").text() == upstream.text(name)
    assert len(upstream.requests(name)) == 1
    assert second.faults() == []


def test_a_cut_network_is_picked_up_where_it_broke(
    open_chat: Callable[..., Chat], upstream: Upstream, proxy: Proxy
) -> None:
    chat = open_chat(proxy.url)
    turn, name = ask_held(chat, upstream)
    with chat.page.expect_event("requestfailed", lambda request: "/events" in request.url):
        proxy.cut()  # the first reconnection fails as well
        upstream.release(name)
    upstream.until(name, "ended")
    assert turn.text() == upstream.text(name, HELD - 1).strip()
    proxy.restore()
    assert turn.until("finished").text() == upstream.text(name)
    chat.expect_free()


@pytest.mark.parametrize("refusal", ["nobody", 503])
def test_a_stream_that_does_not_open_is_asked_for_again(
    open_chat: Callable[..., Chat], upstream: Upstream, refusal: object
) -> None:
    chat, name, refused = open_chat(), upstream.name("n20"), []

    def refuse_first(route: Route) -> None:
        refused.append(route)
        if len(refused) > 1:
            route.continue_()
        elif refusal == "nobody":
            route.abort()
        else:
            route.fulfill(status=503, body="a gateway without its server")

    chat.page.route("**/events*", refuse_first)
    assert chat.ask(f"What is a token? {name}").until("finished").text() == upstream.text(name)
    assert len(refused) > 1


def test_a_stream_that_is_gone_frees_the_composer(open_chat: Callable[..., Chat], upstream: Upstream) -> None:
    chat = open_chat()
    chat.page.route("**/events*", lambda route: route.fulfill(status=404, body="gone"))
    chat.ask(f"What is a token? {upstream.name('n3')}")
    chat.expect_free()


def test_a_closed_tab_does_not_stop_the_turn(
    make_context: Callable[..., BrowserContext], upstream: Upstream, stack: Stack
) -> None:
    context = make_context()
    chat = Chat(context, stack.url).open()
    _, name = ask_held(chat, upstream)
    path = urlsplit(chat.page.url).path
    chat.page.close()
    upstream.release(name)
    assert upstream.until(name, "ended")["outcome"] == "done"
    later = Chat(context, stack.url).open(path)
    assert later.turn().until("finished").text() == upstream.text(name)


def test_a_server_that_dies_ends_its_turns_visibly(
    open_chat: Callable[..., Chat], upstream: Upstream, stack: Stack, part_of: Callable[[str], Part]
) -> None:
    chat = open_chat()
    turn, name = ask_held(chat, upstream)
    kept = upstream.text(name, HELD - 1).strip()
    _wait_until_mirrored(stack, turn.id, kept)
    stack.kill("web")
    stack.start(part_of("web"))
    stack.wait_until_ready()
    turn.until("failed")
    assert turn.text() == kept
    expect(turn.failure).to_contain_text("The server stopped")
    chat.expect_free()
    chat.page.reload()
    assert chat.turn().text() == kept
    turn.retry.click()
    expect(chat.turns).to_have_count(2)
    upstream.release(name, count="all", at=HELD)
    assert chat.turn().until("finished").text() == upstream.text(name)


def test_nobody_notices_a_redis_that_dies_and_comes_back(
    chat: Chat, upstream: Upstream, stack: Stack, part_of: Callable[[str], Part]
) -> None:
    turn, name = ask_held(chat, upstream)
    stack.kill("valkey")
    upstream.release(name)
    assert turn.until("finished").text() == upstream.text(name)
    stack.start(part_of("valkey"))
    stack.wait_until_ready()
    chat.page.reload()
    assert chat.turn().text() == upstream.text(name)


def _wait_until_mirrored(stack: Stack, turn: str, text: str) -> None:
    """Until another process could read so much of the turn."""
    redis = Redis.from_url(stack.environment["REDIS_URL"])

    def mirrored() -> bool:
        rows = redis.xrange(f"turn:{turn}")
        events = [event for _, fields in rows for event in unpack(fields[b"e"])]  # type: ignore[union-attr]
        return "".join(getattr(event, "text", "") for event in events).strip() == text

    wait_for(mirrored, "the mirror to have it all")
    redis.close()
