"""What the page tells of a turn: once, after it, and true; and what a person gets to see of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import BrowserContext, Request, expect

from e2e.bench.figures import percentile
from e2e.pages import Chat, Turn
from e2e.proxy import Proxy
from e2e.stack import Stack
from e2e.trace import Trace
from e2e.upstream import Upstream

TRUE_MS = 5.0  # how far our clock may be from another one, at the median
WIDE_MS = 60.0  # for a single turn on a noisy machine
MARKS = {"ttfp": "progress", "ttfs": "source", "ttft": "token"}  # ours, and the other instrument's
HIDDEN = Path(__file__).with_name("hidden.js")


class Beacons:
    """Every request that a page makes, in order, as `METHOD path`."""

    def __init__(self, chat: Chat) -> None:
        self.all: list[str] = []
        chat.page.on("request", self._note)

    def of(self, turn: Turn) -> list[str]:
        return [each for each in self.all if each == f"POST /turns/{turn.id}/paint"]

    def _note(self, request: Request) -> None:
        self.all.append(f"{request.method} {urlsplit(request.url).path}")


def test_one_beacon_a_turn_and_none_before_the_answer(chat: Chat, upstream: Upstream) -> None:
    beacons = Beacons(chat)
    for _ in range(2):
        name = upstream.name("gate9-n20")
        before = len(beacons.all)
        turn = chat.ask(f"How do I start it? {name}").until_text(upstream.text(name, 8)[-10:])
        assert beacons.all[before:] == ["POST /turns", f"GET /turns/{turn.id}/events"]
        upstream.release(name)
        told = chat.told(turn.until("finished"))
        assert beacons.of(turn) == [f"POST /turns/{turn.id}/paint"]
        paint = told["paint"]
        assert 0 < paint["sent"] < paint["got"] <= paint["ttfp"] <= paint["ttfs"] <= paint["ttft"]
        assert paint["ttft"] < paint["last"] <= paint["end"]
        assert (paint["hidden"], paint["resumed"]) == (False, False)
    assert sum(each.endswith("/paint") for each in beacons.all) == 2


@pytest.mark.parametrize(("parts", "texts"), [("status400", False), ("cut9-n20", True)])
def test_a_turn_that_fails_is_told_too(chat: Chat, upstream: Upstream, parts: str, texts: bool) -> None:
    beacons = Beacons(chat)
    turn = chat.ask(f"How do I start it? {upstream.name(parts)}").until("failed")
    paint = chat.told(turn)["paint"]
    assert (paint["ttft"] is not None) == (paint["last"] is not None) == texts
    assert len(beacons.of(turn)) == 1
    expect(turn.root.locator(".measured [data-total]")).to_have_text(shown(paint["end"]))


def test_a_turn_that_is_stopped_is_told_too(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('gate9-n20')}").until_text("Morning")
    chat.page.keyboard.press("Escape")
    told = chat.told(turn.until("failed"))
    assert told["record"]["outcome"] == "stopped"
    assert told["paint"]["ttft"] < told["paint"]["end"]


def test_a_question_sent_by_a_click_counts_from_the_click(chat: Chat, upstream: Upstream) -> None:
    chat.page.evaluate("() => addEventListener('click', (event) => { window.clicked = event.timeStamp; })")
    chat.box.fill(f"How do I start it? {upstream.name('n3')}")
    chat.page.locator("#send").click()
    first = chat.told(chat.turn().until("finished"))["paint"]
    asked = chat.page.evaluate("() => window.clicked")
    requested = chat.page.evaluate(
        """() => performance.getEntriesByType("resource")
            .find((entry) => entry.name.endsWith("/turns")).requestStart""")
    assert first["sent"] == pytest.approx(requested - asked, abs=0.2)
    chat.turn().retry.click()
    expect(chat.turns).to_have_count(2)
    second = chat.told(chat.turn().until("finished"))["paint"]
    assert second["end"] < first["end"] + 10_000
    assert chat.page.evaluate("() => window.clicked") > asked


def test_the_browsers_part_is_known_to_five_milliseconds(chat: Chat, upstream: Upstream) -> None:
    """By another instrument in the page, by the browser's own trace of the frame that it handed over, and by
    the scripted upstream, which says on the same machine's clock when its first token left."""
    others = ("commit", "presentation", "prefill", "deliver")
    apart: dict[str, list[float]] = {name: [] for name in (*MARKS, *others)}
    origin = chat.page.evaluate("() => performance.timeOrigin")
    changed: list[float] = []
    painted: list[float] = []
    own: list[float] = []
    with Trace(chat.page) as trace:
        for _ in range(12):
            name = upstream.name("ttft200-itl10-n20")
            turn = chat.ask(f"How do I start it? {name}").until("finished")
            told = chat.told(turn)
            took = {stage["name"]: stage["ms"] for stage in told["stages"]}
            (call,) = upstream.requests(name)
            (seen,) = [each for each in chat.measured("seen") if each["turn"] == turn.id]
            for mark, theirs in MARKS.items():
                apart[mark].append(told["paint"][mark] - seen["marks"][theirs])
            left = call["first_chunk_at"] * 1_000
            apart["prefill"].append(took["prefill"] - (left - call["received_at"] * 1_000))
            apart["deliver"].append(took["deliver"] - (origin + seen["asked"] + told["paint"]["ttft"] - left))
            own.append(told["values"]["own"])
            changed.append(seen["asked"] + seen["noticed"]["token"])
            painted.append(seen["asked"] + told["paint"]["ttft"])
    for moment, paint in zip(changed, painted, strict=True):
        apart["commit"].append(paint - trace.committed(moment))
        apart["presentation"].append(paint - trace.presented(moment))
    print(f"\nthe browser's own part: {percentile(own, 50):.1f} ms at the median")
    for name, differences in apart.items():
        sizes = sorted(map(abs, differences))
        print(f"{name}: {percentile(differences, 50):+.2f} ms at the median, {sizes[-1]:.1f} at most")
        assert sizes[-1] <= WIDE_MS, name
        if name != "presentation":  # which a busy compositor puts off, after the page has done its part
            assert percentile(sizes, 50) <= TRUE_MS, name
    assert all(part > 0 for part in own)


def test_a_tab_out_of_sight_says_so(make_context: Callable[..., BrowserContext], stack: Stack,
                                    upstream: Upstream) -> None:
    """No frames come then, and still it tells, once."""
    context = make_context()
    context.add_init_script(path=HIDDEN)
    chat = Chat(context, stack.url).open()
    beacons, name = Beacons(chat), upstream.name("gate9-n20")
    turn = chat.ask(f"How do I start it? {name}").until_text(upstream.text(name, 8)[-10:])
    chat.page.evaluate("() => window.hide()")
    upstream.release(name)
    told = chat.told(turn.until("finished"))
    assert told["paint"]["hidden"]
    assert "ttft" not in told["values"]
    assert len(beacons.of(turn)) == 1
    server = shown(told["record"]["timings"]["ttft"])
    expect(turn.root.locator("[data-first]")).to_have_text(server)
    chat.page.reload()
    expect(chat.turn().root.locator("[data-first]")).to_have_text(server)


def test_a_stream_that_was_taken_up_again_says_so(
    open_chat: Callable[..., Chat], upstream: Upstream, stack: Stack
) -> None:
    at = urlsplit(stack.url)
    proxy = Proxy((str(at.hostname), int(at.port or 0)))
    try:
        chat, name = open_chat(proxy.url), upstream.name("gate9-n20")
        turn = chat.ask(f"How do I start it? {name}").until_text(upstream.text(name, 8)[-10:])
        with chat.page.expect_event("requestfailed", lambda request: "/events" in request.url):
            proxy.cut()
        proxy.restore()
        upstream.release(name)
        told = chat.told(turn.until("finished"))
        assert told["paint"]["resumed"]
        assert "ttft" not in told["values"]
    finally:
        proxy.cut()


def test_a_page_that_came_later_tells_nothing(chat: Chat, upstream: Upstream) -> None:
    name = upstream.name("gate9-n20")
    chat.ask(f"How do I start it? {name}").until_text(upstream.text(name, 8)[-10:])
    chat.page.reload()
    beacons = Beacons(chat)
    upstream.release(name)
    turn = chat.turn(0).until("finished")
    later = chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    chat.told(later)
    assert beacons.of(turn) == []
    assert chat.page.request.get(f"{chat.url}/api/turns/{turn.id}/measures").json()["paint"] is None


def test_another_person_gets_nothing(
    chat: Chat, open_chat: Callable[..., Chat], upstream: Upstream
) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    chat.told(turn)
    other = open_chat()
    for path in (f"/api/turns/{turn.id}/measures", f"/turns/{turn.id}/waterfall"):
        assert other.page.request.get(chat.url + path).status == 404
    tell = "async (url) => (await fetch(url, {method: 'POST', body: '{}'})).status"
    assert other.page.evaluate(tell, f"/turns/{turn.id}/paint") == 404


def test_the_line_says_what_was_seen_and_history_says_the_same(chat: Chat, upstream: Upstream) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('ttft50-itl5-n20')}").until("finished")
    paint = chat.told(turn)["paint"]
    for _ in ("live", "from history"):
        line = chat.turn().root.locator(".measured summary")
        expect(line.locator("[data-first]")).to_have_text(shown(paint["ttft"]))
        expect(line.locator("[data-total]")).to_have_text(shown(paint["end"]))
        for words in ("tokens/s", "asked", "standard", "not cached"):
            expect(line).to_contain_text(words)
        assert "on your screen" in (line.locator("[title]").first.get_attribute("title") or "")
        chat.page.reload()


@pytest.mark.parametrize("options", [
    {}, {"color_scheme": "dark", "viewport": {"width": 390, "height": 800}}, {"locale": "zh-CN"},
], ids=["desk", "dark phone", "chinese"])
def test_the_waterfall_opens_by_keyboard_and_is_fetched_once(
    open_chat: Callable[..., Chat], upstream: Upstream, options: dict[str, Any]
) -> None:
    chat = open_chat(**options)
    beacons = Beacons(chat)
    turn = chat.ask(f"How do I start it? {upstream.name('n20-itl5')}").until("finished")
    chat.told(turn)
    asked = f"GET /turns/{turn.id}/waterfall"
    assert asked not in beacons.all
    line = turn.root.locator(".measured summary")
    line.focus()
    chat.page.keyboard.press("Enter")
    expect(turn.root.locator(".waterfall svg.gantt")).to_be_visible()
    expect(turn.root.locator(".waterfall tbody tr")).not_to_have_count(0)
    expect(turn.root.locator(".prompt li")).to_have_count(6)
    for key in ("Space", "Space"):
        chat.page.keyboard.press(key)
    expect(turn.root.locator(".waterfall svg.gantt")).to_be_visible()
    assert beacons.all.count(asked) == 1
    assert chat.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    found = Axe().run(chat.page).response["violations"]
    assert [each for each in found if each["impact"] in ("serious", "critical")] == []
    assert chat.faults() == []


def test_without_scripts_a_link_leads_to_the_same(
    chat: Chat, make_context: Callable[..., BrowserContext], upstream: Upstream
) -> None:
    turn = chat.ask(f"How do I start it? {upstream.name('n3')}").until("finished")
    chat.told(turn)
    plain = make_context(java_script_enabled=False, storage_state=chat.page.context.storage_state())
    page = plain.new_page()
    page.goto(chat.page.url)
    page.locator(".measured summary").click()
    page.locator(".waterfall a").click()
    expect(page.locator("svg.gantt")).to_be_visible()
    expect(page.locator(".prompt li")).to_have_count(6)
    page.locator("main a").first.click()
    expect(page.locator(f"#t-{turn.id}")).to_be_visible()


def shown(ms: float) -> str:
    """As the line writes it."""
    return f"{int(ms + 0.5)} ms" if ms < 1_000 else f"{int(ms / 100 + 0.5) / 10} s"
