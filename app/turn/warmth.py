"""Searches that began before their question was sent, while it was being typed: an owner's latest.

Reused for the same text only, and once. Knows no search and no typing.
"""

import asyncio
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import Any

from app.retrieval import Passage

Leg = Sequence[Passage] | None
Searched = tuple[Leg, Leg]  # by meaning and by words; None: that leg could not be asked
Search = Callable[[str], Coroutine[Any, Any, Searched]]

OWNERS = 128  # the least recent typist is forgotten
SECONDS = 60.0  # documents may have changed since

_ENDS = re.compile(r"[\s?!.…。？！]+$")


def normalised(text: str) -> str:
    """Two texts that are the same for a search: width, spaces and the marks at the end make no difference."""
    return _ENDS.sub("", " ".join(unicodedata.normalize("NFKC", text).split()))


class _Begun(dict[str, tuple[float, asyncio.Task[Searched]]]):
    """One owner's searches by normalised text, with the time of their beginning."""

    def cancel(self) -> None:
        for _, task in self.values():
            task.cancel()


class Warmth:
    def __init__(self) -> None:
        self._begun: OrderedDict[str, _Begun] = OrderedDict()

    def begin(self, owner: str, texts: Sequence[str], search: Search) -> None:
        """Searches for these texts; what the owner began for others ends."""
        wanted = {key: text for text in texts if (key := normalised(text))}
        before = self._begun.pop(owner, _Begun())
        now = self._begun[owner] = _Begun({key: before.pop(key) for key in wanted if key in before})
        before.cancel()
        for key in wanted.keys() - now.keys():
            task = asyncio.create_task(search(wanted[key]))
            task.add_done_callback(_note)
            now[key] = (monotonic(), task)
        if len(self._begun) > OWNERS:
            self._begun.popitem(last=False)[1].cancel()

    def holds(self, owner: str, text: str) -> bool:
        return normalised(text) in self._begun.get(owner, {})

    def take(self, owner: str, text: str) -> asyncio.Task[Searched] | None:
        """The search for this text, if it began lately; it is given away once."""
        began, task = self._begun.get(owner, _Begun()).pop(normalised(text), (0.0, None))
        if task is None or task.cancelled() or monotonic() - began > SECONDS:
            return None
        return task

    def end(self, owner: str) -> None:
        """The question has been sent: what was begun for other texts is not wanted any more."""
        self._begun.pop(owner, _Begun()).cancel()


def _note(task: asyncio.Task[Searched]) -> None:
    """Nobody may ever ask for the result: its exception is taken note of here."""
    if not task.cancelled():
        task.exception()
