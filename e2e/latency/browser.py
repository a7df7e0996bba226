"""The browser half: one question after another in Chromium, and each again at the model itself, in between.

A turn's figures are the page's own, fetched from the server where they lie beside its timings; the suite's
own instrument (e2e/measure.js) sees the same paints, so that neither is believed alone.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from app.measures import Stage
from e2e.latency.ledger import Ledger, calls_before
from e2e.latency.prober import Probes, probing
from e2e.latency.sample import Run, Sample, whole
from e2e.latency.scenario import Scenario
from e2e.pages import MEASURE, Chat, Turn
from e2e.questions import QUESTIONS

PATIENCE_MS = 180_000  # for one answer, of a model that nobody here knows
BARE = Path(__file__).parents[1] / "bench" / "bare.html"
_stages = msgspec.json.Decoder(tuple[Stage, ...])


@dataclass
class Asker:
    """Asks in one page, and in a bare one that only knows the model's address, if that is known."""

    chat: Chat
    probes: Probes
    bare: Chat | None = None
    ledger: Ledger | None = None

    def ask(self, question: str) -> Sample:
        """One question, from the key that sends it until its figures are known."""
        self.chat.page.bring_to_front()
        began = time.perf_counter()
        turn = self._until_told(question)
        ended = time.perf_counter()
        found = figures_of(self.chat, turn.id)
        stages = _stages.decode(msgspec.json.encode(found["stages"]))
        more: dict[str, Any] = {"loop": self.probes.longest(began, ended)}
        if self.ledger is not None:
            more["calls"] = calls_before(question, self.ledger.look())
        direct = None if self.bare is None else ask_bare(self.bare, question)
        if direct is not None and "ttft" in found["values"]:
            more["beyond_direct"] = round(found["values"]["ttft"] - direct, 2)
        marks = next(each["marks"] for each in self.chat.measured("seen") if each["turn"] == turn.id)
        values = whole(found["values"], stages, more)
        return Sample(turn.id, question, values, stages, marks, direct, left_out(found))

    def _until_told(self, question: str) -> Turn:
        """Asks, and waits until the page tells what it saw."""
        told = self.chat.page.expect_response(lambda it: it.url.endswith("/paint"), timeout=PATIENCE_MS)
        try:
            with told:
                return self.chat.ask(question)
        except PlaywrightTimeout:
            raise RuntimeError(f"the page did not tell in time what it saw of {question!r}") from None


ASK_FIGURES = """turn => fetch(`/api/turns/${turn}/measures`).then(
    async answer => [answer.status, answer.ok ? await answer.json() : null])"""


def figures_of(chat: Chat, turn: str) -> Any:
    """What the server knows of a turn, asked for by the page, whose cookie says whose it is."""
    status, found = chat.page.evaluate(ASK_FIGURES, turn)
    if found is None:
        raise RuntimeError(f"/api/turns/{turn}/measures answers {status}: this Prelude tells no figures")
    return found


def left_out(found: Any) -> str:
    """Why a turn says nothing about waiting."""
    paint, record = found["paint"], found["record"]
    if record["outcome"] != "finished":
        return f"it ended as {record['outcome']}"
    if paint is None:
        return "its page said nothing"
    if record["cached"]:
        return "its answer was kept from before"
    return "its tab was hidden" if paint["hidden"] else "its stream resumed" if paint["resumed"] else ""


def bare_page(context: BrowserContext, upstream: str, model: str) -> Chat:
    """The least that a chat can be, straight at the model's server."""
    context.route("**/bare?*", lambda route: route.fulfill(path=BARE, content_type="text/html"))
    return Chat(context, upstream).open(f"/bare?model={model}")


def ask_bare(bare: Chat, question: str) -> float:
    """Milliseconds to the first token, by the same instrument."""
    bare.page.bring_to_front()
    turn = bare.ask(question).until("finished")
    bare.poll(lambda: "token" in _marks(bare, turn.id), "the first token to be painted")
    return float(_marks(bare, turn.id)["token"])


def _marks(chat: Chat, turn: str) -> Any:
    return next(each["marks"] for each in chat.measured("seen") if each["turn"] == turn)


def measure(chromium: Browser, name: str, scenario: Scenario, url: str, upstream: str = "") -> Run:
    """A scenario's turns. Without `upstream` (a deployment of somebody's) nothing is asked beside it."""
    with probing(url if upstream else "") as probes:  # somebody's deployment is asked, not probed
        asker = Asker(_open(chromium, url), probes)
        if upstream:
            context = chromium.new_context()
            context.add_init_script(path=MEASURE)
            asker.bare = bare_page(context, upstream, scenario.upstream)
            asker.ledger = Ledger(upstream)
        samples = list(_samples(asker, scenario, scenario.upstream if upstream else ""))
        asker.chat.page.context.close()
        if asker.bare is not None:
            asker.bare.page.context.close()
    return Run(name, scenario.about, "browser", scenario.upstream if upstream else "", tuple(samples))


def _samples(asker: Asker, scenario: Scenario, plays: str) -> Iterator[Sample]:
    for n, question in enumerate(_questions(scenario.warm_up + scenario.turns)):
        if n % scenario.chat == 0:
            asker.chat.open()
        sample = asker.ask(f"{question} {plays}".strip())
        if n >= scenario.warm_up:
            yield sample


def _questions(count: int) -> Sequence[str]:
    """Different ones, as long as there are some: a question asked lately is not embedded again."""
    return [QUESTIONS[n % len(QUESTIONS)] + (f" ({n})" if n >= len(QUESTIONS) else "") for n in range(count)]


def _open(chromium: Browser, url: str) -> Chat:
    context = chromium.new_context()
    context.add_init_script(path=MEASURE)
    return Chat(context, url)
