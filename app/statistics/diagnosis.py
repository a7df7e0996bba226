"""Whether prefill or decode, retrieval or this application itself holds a deployment back.

The first token's wait and the pace after it each stand against their budget at p95. The one that is farther
beyond it, or nearer to it, is the problem; a wait is put down to the largest of its three parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.measures import BUDGETS
from app.statistics.percentiles import Percentiles, percentiles
from app.statistics.samples import Sample

Part = Literal["prefill", "retrieval", "own", "decode"]

FEWEST = 20  # turns, or a p95 is only the slowest of them


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`part` is None when there are too few turns to say. `over`: a budget is broken at p95. `seen`: by
    browsers; else so few of them told that it is the server's clock, without the way to the reader.

    `parts` are each part's own percentiles: those of the wait do not add up to `ttft`'s.
    """

    part: Part | None
    over: bool
    seen: bool
    n: int
    ttft: Percentiles | None
    tpot: Percentiles | None
    parts: Mapping[Part, Percentiles]


def diagnose(samples: Sequence[Sample], limits: Mapping[str, float] = BUDGETS) -> Diagnosis:
    """Of the turns that a model answered; what came out of a cache waited for none of this."""
    clock = clock_of(samples)
    waited = [one for one in samples if f"{clock}ttft" in one.values and not one.cached and not one.left_out]
    ttft = percentiles(_having(waited, f"{clock}ttft"))
    tpot = percentiles(_having(waited, f"{clock}tpot"))
    parts = _parts(waited, clock)
    if ttft is None or len(waited) < FEWEST:
        return Diagnosis(None, False, not clock, len(waited), ttft, tpot, parts)
    wait = ttft.p95 / limits["ttft"]
    pace = tpot.p95 / limits["tpot"] if tpot else 0.0
    part: Part = "decode" if pace > wait else _largest(parts)
    return Diagnosis(part, max(wait, pace) > 1, not clock, len(waited), ttft, tpot, parts)


def clock_of(samples: Sequence[Sample]) -> str:
    """Whose clock there is enough of: the browsers' (""), or else the server's ("server_"). The two are never
    counted together: the server's knows nothing of the way to the reader."""
    return "" if sum("ttft" in one.values for one in samples) >= FEWEST else "server_"


def _parts(waited: Sequence[Sample], clock: str) -> dict[Part, Percentiles]:
    columns: dict[Part, list[float]] = {
        "prefill": _having(waited, "upstream_ttft"),
        "retrieval": _having(waited, "search"),
        "own": _having(waited, f"{clock}added_ttft"),
        "decode": _having(waited, "decode"),
    }
    found = {part: percentiles(column) for part, column in columns.items()}
    return {part: figures for part, figures in found.items() if figures is not None}


def _largest(parts: Mapping[Part, Percentiles]) -> Part:
    of_the_wait = [part for part in parts if part != "decode"]
    return max(of_the_wait, key=lambda part: parts[part].p95)


def _having(samples: Sequence[Sample], measure: str) -> list[float]:
    return [one.values[measure] for one in samples if measure in one.values]
