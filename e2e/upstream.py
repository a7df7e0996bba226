"""The tests' hand on the stand-in model: names scenarios, reads back what was asked, opens gates."""

import json
import signal
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from dev.standin import scenario
from e2e.stack import Stack


class Upstream:
    def __init__(self, stack: Stack) -> None:
        self._stack = stack

    def name(self, parts: str) -> str:
        """A scenario of one test's own: `name("ttft200-n20")`; a question that holds the name gets it."""
        return f"sim-{parts}-tag{uuid4().hex[:8]}"

    def text(self, name: str, tokens: int | None = None) -> str:
        """The exact text of a scenario, or of its first tokens."""
        return "".join(scenario.chunks(scenario.parse(name))[:tokens])

    def until(self, name: str, moment: str, **query: object) -> Any:
        """The newest request of this name, once it has come so far (dev/standin/control.py)."""
        return self._call("GET", f"/requests/{name}", until=moment, **query)

    def release(self, name: str, **query: object) -> Any:
        """Opens the next gate, `count` of them or `count="all"`; `at` waits until it is held there."""
        return self._call("POST", f"/gates/{name}", **query)

    def requests(self, name: str) -> list[Any]:
        found: list[Any] = self._call("GET", "/requests", model=name)
        return found

    @contextmanager
    def frozen(self) -> Generator[None, None, None]:
        """The whole process stands still: it receives nothing, and knows nothing of what comes meanwhile."""
        process = self._stack.processes["stand-in"]
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def _call(self, method: str, path: str, **query: object) -> Any:
        url = f"{self._stack.upstream}{path}?{urlencode({'timeout': 20} | query)}"
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=30) as answer:
            return json.load(answer)
