"""Percentiles, always with how many values they stand on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.measures import MEASURES
from app.statistics.samples import Sample

# In the order in which a turn meets them; what a fork adds comes after, by name.
STAGES = ("send", "queue", "cache", "route", "history", "warm", "embed", "dense", "lexical", "rewrite",
          "meant", "fuse", "search", "earlier", "settle", "prompt", "connect", "small", "prefill",
          "decode", "render", "own", "server_ttft", "server_added_ttft", "server_tpot",
          "server_stall_max", "server_total")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds, of `n` values."""

    n: int
    p50: float
    p95: float
    p99: float


def percentile(rising: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie, interpolated linearly between the two nearest (Hyndman and
    Fan's type 7, which numpy and spreadsheets use). `rising` is sorted and not empty."""
    place = share * (len(rising) - 1)
    below = int(place)
    above = min(below + 1, len(rising) - 1)
    return rising[below] + (rising[above] - rising[below]) * (place - below)


def percentiles(values: Iterable[float]) -> Percentiles | None:
    """None for no values."""
    rising = sorted(values)
    if not rising:
        return None
    return Percentiles(len(rising), *(percentile(rising, share) for share in (0.5, 0.95, 0.99)))


def summary(samples: Iterable[Sample]) -> dict[str, Percentiles]:
    """Every measure and stage that some turn has, the measures first."""
    columns: dict[str, list[float]] = {}
    for one in samples:
        for name, value in one.values.items():
            columns.setdefault(name, []).append(value)
    found = {name: percentiles(columns[name]) for name in sorted(columns, key=_order)}
    return {name: figures for name, figures in found.items() if figures is not None}


_PLACES = {name: place for place, name in enumerate((*MEASURES, *STAGES))}


def _order(name: str) -> tuple[int, str]:
    return _PLACES.get(name, len(_PLACES)), name
