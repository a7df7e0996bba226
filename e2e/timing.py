"""Asks in a browser and hands back what the reader saw, and when. The suite and the benchmark share it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from e2e.bench.figures import percentile
from e2e.pages import Chat, Turn


@dataclass(frozen=True, slots=True)
class Seen:
    """Milliseconds from the key that sent the question to the paint of each first."""

    progress: float
    source: float
    token: float
    search: float  # how long the server said that finding them took
    hidden: bool


def ask(chat: Chat, question: str) -> Seen:
    """One question, from the Enter key to the end of its answer."""
    turn = chat.ask(question).until("finished")
    chat.poll(lambda: "end" in _record(chat, turn.id)["marks"], "the end to be painted")
    record = _record(chat, turn.id)
    marks = record["marks"]
    return Seen(marks["progress"], marks["source"], marks["token"], _search(turn), record["hidden"])


def percentiles(values: Iterable[float], of: Sequence[int] = (50, 95)) -> dict[str, float]:
    known = list(values)
    return {f"p{p}": round(percentile(known, p), 1) for p in of}


def _search(turn: Turn) -> float:
    """Milliseconds, from the step that tells them."""
    step = turn.root.locator(".step:has(.ms)", has_text=re.compile("passages|段落|Went on|未能"))
    return float(step.locator(".ms").first.inner_text().removesuffix(" ms"))


def _record(chat: Chat, turn: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in chat.measured("seen") if each["turn"] == turn)
    return found
