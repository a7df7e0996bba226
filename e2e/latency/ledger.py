"""What the model was asked, as the stand-in wrote it down: was there a call before the answer's own?"""

import json
import urllib.request
from typing import Any


class Ledger:
    """The calls since the last look."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._last = 0
        self.look()

    def look(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self._upstream}/requests?after={self._last}", timeout=30) as answer:
            found: list[dict[str, Any]] = json.load(answer)
        self._last = max([self._last, *(one["id"] for one in found)])
        return found


def calls_before(question: str, found: list[dict[str, Any]]) -> int | None:
    """How many calls about this question reached the model before the one that answers it, if one does."""
    about = [one for one in found if any(question in str(each["content"]) for each in one["messages"])]
    answers = [n for n, one in enumerate(about) if _asks(one, question)]
    return answers[0] if answers else None


def _asks(call: dict[str, Any], question: str) -> bool:
    last: str = call["messages"][-1]["content"]
    return last.rstrip().endswith(f"<question>\n{question}\n</question>")
