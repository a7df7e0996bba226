"""What may have a budget, and what its name says: `ttft_p95 = 800` is milliseconds at the 95th percentile."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.measures import MEASURES

STAGES = ("send", "queue", "route", "history", "warm", "embed", "dense", "lexical", "rewrite", "meant",
          "fuse", "search", "earlier", "settle", "prompt", "connect", "small", "prefill", "decode",
          "gap", "render", "deliver")  # fmt: skip
OURS = {
    "own": "the browser's own part: submit to paint, without the server's time to its first text",
    "beyond_direct": "first token beyond that of the same question asked at the model directly, in between",
    "loop": "the longest wait of a trivial request during the turn: the event loop stood still",
    "calls": "calls to the model about this question before the answer's own",
}
KNOWN = (*MEASURES, *OURS, *STAGES)
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `limit` (milliseconds; for `calls`, a number) at percentile `p` of `measure`."""

    measure: str
    p: int
    limit: float

    @property
    def name(self) -> str:
        return f"{self.measure}_p{self.p}"


def budgets(given: Mapping[str, float]) -> list[Budget]:
    """ValueError with one sentence for a name or a limit that cannot be meant."""
    return [_budget(name, limit) for name, limit in given.items()]


def _budget(name: str, limit: float) -> Budget:
    found = re.fullmatch(r"(\w+)_p(\d+)", name)
    if not found or found[1] not in KNOWN or int(found[2]) not in PERCENTILES:
        raise ValueError(
            f"{name!r} is no budget: it takes a measure and a percentile, such as ttft_p95; "
            f"measures are {', '.join(KNOWN)}; percentiles {', '.join(map(str, PERCENTILES))}"
        )
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit < float("inf"):
        raise ValueError(f"{name} is {limit!r}, but it takes milliseconds from 0 on")
    return Budget(found[1], int(found[2]), float(limit))
