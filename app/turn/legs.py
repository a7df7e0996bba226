"""How stages before the model are run: told as they run, given so long, left out visibly when they fail.

Knows no stage but by its name.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.errors import TurnError
from app.events import Step
from app.timings import Timings
from app.turn.stages import Emit

T = TypeVar("T")

log = logging.getLogger(__name__)

# Seconds after which a turn goes on without a leg. Generous where the answer leans on it; the rewriting has
# its rules to fall back on, and is waited for by everybody.
DEADLINES = {
    "history": 3.0,
    "earlier": 2.0,
    "search": 8.0,
    "meant": 6.0,
    "warm": 4.0,
    "dense": 4.0,
    "lexical": 2.0,
    "rewrite": 0.8,
}


class Legs:
    """One turn's."""

    def __init__(self, emit: Emit, timings: Timings) -> None:
        self.emit = emit
        self.timings = timings

    async def run(
        self, name: str, work: Awaitable[T], instead: T, told: Callable[[T], str] = lambda result: ""
    ) -> T:
        """What the work comes to, or `instead`; `told` puts the result into the step's few words."""
        self.timings.begin(name)
        self.emit(Step(name, "running"))
        try:
            async with asyncio.timeout(DEADLINES[name]):
                result = await work
        except TimeoutError:
            self._fail(name, f"no answer within {DEADLINES[name]:g} s")
            return instead
        except TurnError as error:
            self._fail(name, error.message)
            return instead
        except asyncio.CancelledError:
            self.emit(Step(name, "skipped", "", self.timings.end(name)))
            raise
        except Exception:
            log.exception("leg %s", name)
            self._fail(name, "something went wrong here")
            return instead
        self.emit(Step(name, "done", told(result), self.timings.end(name)))
        return result

    def _fail(self, name: str, reason: str) -> None:
        self.emit(Step(name, "failed", reason, self.timings.end(name)))
