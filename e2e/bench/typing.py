"""How much of the search is over when a question is sent, because it began while the question was typed.

Questions are typed in Chromium at three words a second, Chinese ones through an input method's compositions,
and sent by Enter. Half of them are filled in at once, so that their search has nothing to hide behind; half
of the typed ones end without a mark. Gaps between keys are lognormal and longer between words; the one before
Enter is a keystroke's of the keystroke-level model (Card, Moran and Newell: 0.28 s), without time to think.
Every typed question is asked again by a program that typed nothing: its sources must be the same.
"""

import json
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import msgspec
from playwright.sync_api import Browser, CDPSession, sync_playwright

from app.measures import Record, unhidden_retrieval
from app.text import count_cjk
from dev import browser
from e2e.bench import ttft
from e2e.pages import MEASURE, Chat
from e2e.stack import Stack, running

MODEL = "sim-ttft60-n5"
ASKED = 48
WARM_UP = 4
SEED = 20_261_201
KEY_SECONDS = 1 / 18  # three words a second, a word and its space being six keys
BETWEEN_WORDS = 1.8  # times a key
PINYIN_SECONDS = 1 / 9  # two or three to a word
ENTER_SECONDS = 0.28
SPREAD = 0.4  # of the lognormal gaps


@dataclass(frozen=True, slots=True)
class Asked:
    """`search` is what the search was still waited for when the history was there, in milliseconds; `told`
    how often the page told of it ahead."""

    typed: bool
    marked: bool
    warm: bool
    search: float
    told: int
    foreign: int  # sources that the same question does not have when nobody typed it


def main(data: Path | None) -> None:
    material = ttft.handbook() if data is None else ttft.library(data)
    with running(material.folder.absolute(), model=MODEL, worker=False) as stack:
        stack.ingest(material.documents.absolute())
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser.executable())
            asked = measure(chromium, stack, unlike(material.questions))[WARM_UP:]
            chromium.close()
    print(json.dumps(figures(asked)))


def unlike(questions: Sequence[str]) -> list[str]:
    """Never the same twice: what was searched for lately is not embedded again."""
    once = list(dict.fromkeys(questions))
    return [once[n % len(once)] if n < len(once) else f"{n}: {once[n % len(once)]}" for n in range(ASKED)]


def measure(chromium: Browser, stack: Stack, questions: Sequence[str]) -> list[Asked]:
    context = chromium.new_context()
    context.add_init_script(path=MEASURE)
    chat, chance, found = Chat(context, stack.url), random.Random(SEED), []
    told: list[str] = []
    chat.page.on("request", lambda request: told.append(request.url) if "/typing" in request.url else None)
    for n, question in enumerate(questions):
        if n % 10 == 0:
            print(f"{n} of {len(questions)} asked", flush=True)
        chat.open()  # a conversation would say what a question means
        typed, marked = n // 2 % 2 == 0, n // 4 % 2 == 0  # languages come by turns
        text = question if marked else question.rstrip("?？")
        told.clear()
        if typed:
            _type(chat, text, chance)
        else:
            chat.box.evaluate("(box, text) => { box.value = text; }", text)
        chat.box.press("Enter")
        turn = chat.turn().until("finished")
        record = msgspec.convert(chat.told(turn)["record"], Record)
        warm = any(span.name == "warm" for span in record.spans)
        foreign = _foreign(chat, stack, text) if typed else 0
        found.append(Asked(typed, marked, warm, unhidden_retrieval(record), len(told), foreign))
    return found


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    typed, filled = [one for one in asked if one.typed], [one for one in asked if not one.typed]
    usual = statistics.fmean(one.search for one in filled)

    def hidden(some: Sequence[Asked]) -> float:
        return round(1 - statistics.fmean(one.search for one in some) / usual, 3)

    return {
        "n": len(typed),
        "hidden": hidden(typed),
        "hidden_with_mark": hidden([one for one in typed if one.marked]),
        "hidden_without_mark": hidden([one for one in typed if not one.marked]),
        "search_ms": round(usual, 1),
        "waited_ms": round(statistics.fmean(one.search for one in typed), 1),
        "reused": round(statistics.fmean(one.warm for one in typed), 3),
        "wasted": round(statistics.fmean(one.told - one.warm for one in typed), 2),
        "wasted_max": max(one.told - one.warm for one in typed),
        "foreign_sources": sum(one.foreign for one in typed),
    }


def _type(chat: Chat, text: str, chance: random.Random) -> None:
    chat.box.focus()
    if count_cjk(text) > len(text) / 2:
        _compose(chat, chat.page.context.new_cdp_session(chat.page), text, chance)
    else:
        for before, character in zip(" " + text, text, strict=False):
            _wait(chat, KEY_SECONDS * (BETWEEN_WORDS if before == " " else 1), chance)
            chat.page.keyboard.insert_text(character)
    _wait(chat, ENTER_SECONDS, chance)


def _compose(chat: Chat, keys: CDPSession, text: str, chance: random.Random) -> None:
    """Word by word: letters of its pinyin, then the characters; marks are typed as they are."""
    for at in range(0, len(text), 2):
        word = text[at : at + 2]
        if count_cjk(word):
            for letters in ("n", "ni", "ni'h"):
                _wait(chat, PINYIN_SECONDS, chance)
                place = len(letters)
                composing = {"text": letters, "selectionStart": place, "selectionEnd": place}
                keys.send("Input.imeSetComposition", composing)
        _wait(chat, KEY_SECONDS, chance)
        keys.send("Input.insertText", {"text": word})


def _wait(chat: Chat, seconds: float, chance: random.Random) -> None:
    """By the page's own clock, for the test's would not let it run."""
    ms = 1_000 * seconds * chance.lognormvariate(0, SPREAD)
    chat.page.evaluate("ms => new Promise(done => setTimeout(done, ms))", ms)


def _foreign(chat: Chat, stack: Stack, text: str) -> int:
    """Sources on the page that the question has not when a stranger asks it."""
    shown = chat.turn().root.locator(".card-body").all_text_contents()
    body = json.dumps({"question": text}).encode()
    request = Request(f"{stack.url}/api/turns", data=body, headers={"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as answer:
        events = answer.read().decode().split("\n\n")
    (sources,) = [event for event in events if "\nevent: sources\n" in event]
    cards = json.loads(sources.partition("\ndata: ")[2])["cards"]
    return len(set(shown) - {card["text"] for card in cards})
