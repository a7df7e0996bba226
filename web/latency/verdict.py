"""The sentence on top: what holds this deployment back, with its numbers, and the lever that calls for."""

from collections.abc import Sequence

from app.measures import BUDGETS
from app.statistics import Diagnosis, Part, Percentiles, Sample, diagnose
from app.statistics.diagnosis import FEWEST
from web.latency.figures import milliseconds
from web.words import Words


def verdict(samples: Sequence[Sample], words: Words) -> str:
    if not samples:
        return words("latency_none")
    found = diagnose(samples)
    if found.part is None:
        return words("latency_few", n=found.n, fewest=FEWEST)
    said = words(
        "latency_over" if found.over else "latency_within",
        part=words(f"latency_part_{found.part}"),
        numbers=_numbers(found, found.part, words),
        lever=words(f"latency_lever_{found.part}"),
    )
    said = said[0].upper() + said[1:]
    return said if found.seen else words("latency_by_server") + said


def _numbers(found: Diagnosis, part: Part, words: Words) -> str:
    def p95(figures: Percentiles | None) -> str:
        return "–" if figures is None else milliseconds(figures.p95)

    return words(
        "latency_numbers_decode" if part == "decode" else "latency_numbers_wait",
        part=p95(found.parts.get(part)),
        ttft=p95(found.ttft),
        tpot=p95(found.tpot),
        ttft_limit=milliseconds(BUDGETS["ttft"]),
        tpot_limit=milliseconds(BUDGETS["tpot"]),
        n=f"{found.n:,}",
    )
