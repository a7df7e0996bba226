"""What is read of people's and models' text, with patterns: work that grows with the text, and no faster."""

import time
from collections.abc import Callable

import pytest

from app.followups import stand_alone
from app.followups.rewriting import clean as cleaned_rewriting
from app.prompt import Exchange
from app.prompt.parts import escape
from app.retrieval.protocol import Passage
from app.retrieval.relevance import confidence
from app.retrieval.words import asked, phrases, words
from app.routing import Router
from app.routing.escalation import unanswered
from app.routing.phrases import continues, is_courtesy, is_term
from app.settings import Settings
from app.summaries import by_rules, summary_prompt
from app.summaries import clean as cleaned_summary
from app.titles import clean as cleaned_title

ROUTER = Router(Settings(chat_model="large", chat_model_small="small"))
PASSAGES = [Passage("p", "text", "title", "file:///a.md", None, 0, 4, 0.9)] * 20
READERS: dict[str, Callable[[str], object]] = {
    "route": ROUTER.route,
    "continues": continues,
    "is_courtesy": is_courtesy,
    "is_term": is_term,
    "unanswered": lambda text: unanswered(text, whole=True),
    "unanswered so far": lambda text: unanswered(text, whole=False),
    "stand_alone": lambda text: stand_alone(text, [Exchange("What is a heat pump?", "So.")]),
    "stand_alone behind": lambda text: stand_alone("why?", [Exchange(text, "So.")]),
    "rewriting": cleaned_rewriting,
    "words": words,
    "asked": asked,
    "phrases": phrases,
    "confidence": lambda text: confidence(text, PASSAGES, 0.5),
    "title": cleaned_title,
    "summary": cleaned_summary,
    "summary by rules": lambda text: by_rules(text, [Exchange(text, text)]),
    "summary's prompt": lambda text: summary_prompt(text, [Exchange(text, text)]),
    "escape": escape,
}
SIZES = [62 << step for step in range(8)]  # to 7,936 characters
BEGINNINGS = ["", "and ", "what about ", "what are the main ", "the sources do not "]
BEGINNINGS += ["没有相关", "那", "怎样"]
RUNS = [
    *("a", "A", "1", " ", "\n", "\u3000", "_", "*", "#", "<", "'", '"', "“", "？", "?", ".", "-"),
    *("\0", "\ud800", "a ", "a.", "a-", "a'", "1,", "* ", "\n ", "[1]", "“a", "a\u0301", "it ", "and "),
    *("https://e.org/", "what are the ", "the provided "),
    *("thanks ", "main key ", "中", "的", "其", "中 ", "a中", "的有", "没有"),
]
END = " b c d e f g"  # where what could match does not


def hostile(size: int) -> list[str]:
    return [(beginning + run * size)[:size] + END for beginning in BEGINNINGS for run in RUNS]


def took(read: Callable[[str], object], text: str) -> float:
    """Seconds of this thread: the least of three, should the first be long."""
    times: list[float] = []
    while len(times) < 3 and (not times or min(times) > 0.02):
        began = time.thread_time()
        read(text)
        times.append(time.thread_time() - began)
    return min(times)


@pytest.mark.parametrize("name", READERS)
def test_twice_the_text_is_about_twice_the_work(name: str) -> None:
    """Step by step, so that a text that backtracks fails it long before it takes hours."""
    for texts in zip(*map(hostile, SIZES), strict=True):
        before = 0.0
        for text in texts:
            now = took(READERS[name], text)
            assert now < 3 * before + 0.06, (name, text[:40], len(text))
            before = now
