"""What a reader waits for, seen in Chromium: first progress, first source, first token.

With --data every passage becomes a document, and questions of all its languages are asked by turns; without
it, the handbook and questions about it. What was ingested is kept under .cache/bench by its content. The
upstream takes a scripted time, so that what is added to it is ours. Every other question goes to a bare page
that only fetches from the upstream and paints: what Chromium and the loopback cost without Prelude.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from dev import browser
from e2e.bench import retrieval
from e2e.pages import MEASURE, Chat
from e2e.questions import QUESTIONS
from e2e.stack import ROOT, Stack, running
from e2e.timing import Seen, ask, percentiles

UPSTREAM_MS = 200
MODEL = f"sim-ttft{UPSTREAM_MS}-itl20-n40"
CACHE = Path(".cache/bench/ttft")
BARE = Path(__file__).with_name("bare.html")
WARM_UP = 4  # questions asked and not counted
COUNTED = 60
A_CHAT = 10  # questions in one conversation before the next begins
SEED = 20_261_201
BUDGETS = {"ttfp_p95": 100, "ttfs_p95": 150, "added_ttft_p50": 60}  # milliseconds


@dataclass(frozen=True, slots=True)
class Material:
    """`folder` is the stack's: what was ingested there once is there again."""

    documents: Path
    questions: Sequence[str]
    folder: Path


def main(data: Path | None) -> None:
    material = handbook() if data is None else library(data)
    with running(material.folder.absolute(), model=MODEL, worker=False) as stack:
        print("Ingesting …", flush=True)
        stack.ingest(material.documents.absolute())
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser.executable())
            pairs = list(measure(chromium, stack, material.questions))[WARM_UP:]
            chromium.close()
    print(json.dumps(figures([seen for seen, _ in pairs], [bare for _, bare in pairs])))


def handbook() -> Material:
    asked = [QUESTIONS[n % len(QUESTIONS)] for n in range(WARM_UP + COUNTED)]
    return Material(ROOT / "dev" / "handbook", asked, CACHE / "handbook")


def library(data: Path) -> Material:
    """Shares its cache with the retrieval benchmark."""
    passages, questions = retrieval.read(data)
    folder = retrieval.CACHE / retrieval.key(passages)
    retrieval.write(passages, folder / "documents")
    chance = random.Random(SEED)
    languages = sorted({each.language for each in questions})
    by_language = [[each.text for each in questions if each.language == name] for name in languages]
    each = -(-(WARM_UP + COUNTED) // len(by_language))
    samples = [chance.sample(texts, min(each, len(texts))) for texts in by_language]
    return Material(folder / "documents", list(chain(*zip(*samples, strict=False))), folder)


def measure(chromium: Browser, stack: Stack, questions: Sequence[str]) -> Iterator[tuple[Seen, float]]:
    context, bare = chromium.new_context(), _bare_page(chromium, stack)
    context.add_init_script(path=MEASURE)
    chat = Chat(context, stack.url)
    for n, question in enumerate(questions):
        if n % A_CHAT == 0:
            print(f"{n} of {len(questions)} asked", flush=True)
            chat.open()
        chat.page.bring_to_front()
        seen = ask(chat, question)
        bare.page.bring_to_front()
        yield seen, _ask_bare(bare, question)


def figures(seen: Sequence[Seen], bare: Sequence[float]) -> dict[str, Any]:
    shown = [one for one in seen if not one.hidden]
    ttfp = percentiles(one.progress for one in shown)
    ttfs = percentiles(one.source for one in shown)
    added = percentiles(one.token - UPSTREAM_MS for one in shown)
    met = (ttfp["p95"] <= BUDGETS["ttfp_p95"] and ttfs["p95"] <= BUDGETS["ttfs_p95"]
           and added["p50"] <= BUDGETS["added_ttft_p50"])
    return {
        "n": len(shown), "upstream_ms": UPSTREAM_MS, "ttfp_ms": ttfp, "ttfs_ms": ttfs,
        "ttft_ms": percentiles(one.token for one in shown), "added_ttft_ms": added,
        "bare_page_added_ms": percentiles(each - UPSTREAM_MS for each in bare),
        "search_ms": percentiles(one.search for one in shown), "budgets": BUDGETS, "met": met,
    }


def _bare_page(chromium: Browser, stack: Stack) -> Chat:
    context = chromium.new_context()
    context.add_init_script(path=MEASURE)
    context.route("**/bare?*", lambda route: route.fulfill(path=BARE, content_type="text/html"))
    return Chat(context, stack.upstream).open(f"/bare?model={MODEL}")


def _ask_bare(bare: Chat, question: str) -> float:
    turn = bare.ask(question).until("finished")
    record = next(each for each in bare.measured("seen") if each["turn"] == turn.id)
    return float(record["marks"]["token"])
