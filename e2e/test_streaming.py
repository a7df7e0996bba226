"""What arrives, in which order and whole: progress, sources, text, across proxies and bytes cut anywhere."""

import http.client
import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from e2e import nginx
from e2e.pages import Chat
from e2e.stack import Stack
from e2e.upstream import Upstream


def test_sources_are_painted_while_the_upstream_has_received_nothing(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("n5")
    with upstream.frozen():
        turn = chat.ask(f"How do I start it? {name}")
        expect(turn.cards.first).to_be_visible()
        expect(turn.root.locator(".step.is-running")).to_be_visible()
        painted = time.time()
    turn.until("finished")
    assert upstream.requests(name)[0]["received_at"] > painted
    assert turn.text() == upstream.text(name)


def test_programs_too_get_the_sources_before_the_upstream_is_asked(stack: Stack, upstream: Upstream) -> None:
    name = upstream.name("n5")
    body = json.dumps({"question": f"How do I start it? {name}"}).encode()
    request = urllib.request.Request(f"{stack.url}/api/turns", body, {"content-type": "application/json"})
    with upstream.frozen():
        answer = urllib.request.urlopen(request, timeout=20)
        order = [_event(answer)]
        while order[-1] != "sources":
            order.append(_event(answer))
        read = time.time()
    with answer:
        while order[-1] != "finished":
            order.append(_event(answer))
    assert upstream.requests(name)[0]["received_at"] > read
    assert order.index("sources") < order.index("delta")


def _event(answer: http.client.HTTPResponse) -> str:
    """The next event's name."""
    for line in answer:
        if line.startswith(b"event:"):
            return line[6:].strip().decode()
    raise AssertionError("the stream ended early")


def test_bytes_of_a_character_may_come_apart(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("splitbytes-zh-n40-itl2")
    turn = chat.ask(f"怎样启动它？ {name}").until("finished")
    assert turn.text() == upstream.text(name)
    assert "\ufffd" not in turn.root.inner_text()


def test_tokens_come_one_by_one(chat: Chat, upstream: Upstream) -> None:
    _expect_steps(chat, upstream)


def test_an_nginx_with_its_defaults_and_gzip_holds_nothing_back(
    open_chat: Callable[..., Chat], upstream: Upstream, stack: Stack, tmp_path: Path
) -> None:
    with nginx.running(stack.url, tmp_path) as url:
        chat = open_chat(url)
        with chat.page.expect_response("**/events*") as stream:
            _expect_steps(chat, upstream)
        assert stream.value.headers.get("server", "").startswith("nginx")
        assert chat.faults() == []


def _expect_steps(chat: Chat, upstream: Upstream) -> None:
    """Each token is on the page while the next one is still held at the upstream."""
    name = upstream.name("gates-n4")
    turn = chat.ask(f"What is a token? {name}")
    expect(turn.cards.first).to_be_visible()
    upstream.until(name, "held", at=1)
    whole = upstream.text(name)
    for token in (1, 2, 3, 4):
        upstream.release(name, at=token)
        upstream.until(name, "held", at=token + 1)
        expected = upstream.text(name, token).strip()
        turn.until_text(expected)
        assert turn.text() == expected
    expect(turn.root).to_have_attribute("data-state", "running")
    upstream.release(name)
    assert turn.until("finished").text() == whole
