"""The chat as a person uses it: one page, its turns, and what went wrong on it. Knows no scenario."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Request, expect

MEASURE = Path(__file__).with_name("measure.js")
PATIENCE_MS = 20_000


class Chat:
    """A tab. `open` goes to a page; `faults` tells what a healthy page never has."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.confirms = False  # whether a dialog is expected, and accepted
        self._errors: list[str] = []
        self._foreign: list[str] = []
        self.page.on("pageerror", lambda error: self._errors.append(f"script: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("console", self._heard)
        self.page.on("request", self._requested)

    def open(self, path: str = "/") -> "Chat":
        self.page.goto(self.url + path)
        return self

    @property
    def box(self) -> Locator:
        return self.page.locator("#question")

    @property
    def turns(self) -> Locator:
        return self.page.locator(".turn")

    def ask(self, question: str) -> "Turn":
        """Types nothing key by key, but sends by the Enter key, as people do."""
        before = self.turns.count()
        self.box.fill(question)
        self.box.press("Enter")
        expect(self.turns).to_have_count(before + 1)
        return self.turn(before)

    def turn(self, index: int = -1) -> "Turn":
        return Turn(self.turns.nth(index) if index >= 0 else self.turns.last)

    def expect_free(self) -> None:
        """The composer takes the next question."""
        expect(self.page.locator("#send")).to_be_visible()
        expect(self.page.locator("#stop")).to_be_hidden()
        expect(self.box).to_be_editable()

    def measured(self, what: str) -> Any:
        """`seen`, `shifts`, `longTasks` or `violations` of measure.js."""
        return self.page.evaluate("what => window.measured[what]", what)

    def poll(self, condition: Callable[[], object], what: str) -> None:
        """Until it holds; the page's own frames are the clock, for the policy refuses waiting by a string."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}")
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    def told(self, turn: "Turn") -> dict[str, Any]:
        """What the server knows of an ended turn, once this page's measure.js has told its part."""
        found: dict[str, Any] = {}

        def known() -> object:
            found.update(self.page.request.get(f"{self.url}/api/turns/{turn.id}/measures").json())
            return found.get("paint")

        self.poll(known, "the page to tell what it saw")
        return found

    def faults(self) -> list[str]:
        violations = [f"policy: {each}" for each in self.measured("violations")]
        return [*self._errors, *(f"foreign: {url}" for url in self._foreign), *violations]

    def _asked(self, dialog: Dialog) -> None:
        if self.confirms:
            dialog.accept()
        else:
            self._errors.append(f"dialog: {dialog.message}")
            dialog.dismiss()

    def _heard(self, message: Any) -> None:
        network = ("Failed to load resource", "Failed to fetch")  # tests of it say so by themselves
        if message.type == "error" and not any(line in message.text for line in network):
            self._errors.append(f"console: {message.text}")

    def _requested(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.url).netloc and not request.url.startswith("data:"):
            self._foreign.append(request.url)


class Turn:
    """One question and what became of it on the page."""

    def __init__(self, root: Locator) -> None:
        self.root = root

    @property
    def id(self) -> str:
        return self.root.get_attribute("data-turn") or ""

    @property
    def cards(self) -> Locator:
        return self.root.locator(".card:not(.is-awaited)")

    @property
    def answer(self) -> Locator:
        return self.root.locator(".answer")

    @property
    def failure(self) -> Locator:
        return self.root.locator(".failure")

    @property
    def retry(self) -> Locator:
        return self.root.locator(".actions [data-ask]")

    def text(self) -> str:
        """The answer as its author wrote it, for texts that are paragraphs only."""
        paragraphs: list[str] = self.answer.locator("p").evaluate_all("all => all.map(p => p.textContent)")
        return "\n\n".join(paragraphs).strip()

    def until(self, state: str) -> "Turn":
        expect(self.root).to_have_attribute("data-state", state, timeout=PATIENCE_MS)
        return self

    def until_text(self, part: str) -> "Turn":
        expect(self.answer).to_contain_text(part, timeout=PATIENCE_MS)
        return self

    def html(self) -> str:
        """What is drawn, without the stream's own element and the time-bound state."""
        html: str = self.root.evaluate(
            """turn => ["steps", "sources", "done", "open", "partial", "end"]
               .map(part => turn.querySelector(`#${turn.id}-${part}`).innerHTML.trim()).join("\\n--\\n")""")
        return html
