"""Which turns kept their budgets, and whose turns did not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.measures import BUDGETS
from app.statistics.percentiles import percentile
from app.statistics.samples import Sample


@dataclass(frozen=True, slots=True)
class Culprit:
    """Of `n` turns of this route and model, `broken` were over the budget."""

    route: str
    model: str
    n: int
    broken: int


@dataclass(frozen=True, slots=True)
class Budget:
    """`limit` and `p95` in milliseconds; of `n` turns that have the measure `broken` were over it."""

    measure: str
    limit: float
    n: int
    broken: int
    p95: float | None
    culprits: tuple[Culprit, ...]

    @property
    def kept(self) -> bool:
        """Whether p95 is within it, which is what a budget asks; also when there is nothing to judge."""
        return self.p95 is None or self.p95 <= self.limit


@dataclass(frozen=True, slots=True)
class Goodput:
    """Of `n` turns that can be judged, `good` met every budget."""

    n: int
    good: int

    @property
    def share(self) -> float | None:
        return self.good / self.n if self.n else None


def goodput(samples: Sequence[Sample], limits: Mapping[str, float] = BUDGETS) -> Goodput:
    """A turn is judged when a browser saw its first token, or when it failed, which is never good."""
    judged = [one for one in samples if one.failed or "ttft" in one.values]
    return Goodput(len(judged), sum(_is_good(one, limits) for one in judged))


def budgets(samples: Sequence[Sample], limits: Mapping[str, float] = BUDGETS) -> list[Budget]:
    """Each budget with who broke it, those who broke it most often first."""
    return [_budget(measure, limit, samples) for measure, limit in limits.items()]


def _budget(measure: str, limit: float, samples: Sequence[Sample]) -> Budget:
    having = [one for one in samples if measure in one.values]
    turns = Counter((one.route, one.model) for one in having)
    over = Counter((one.route, one.model) for one in having if one.values[measure] > limit)
    rising = sorted(one.values[measure] for one in having)
    return Budget(
        measure,
        limit,
        len(having),
        over.total(),
        percentile(rising, 0.95) if rising else None,
        tuple(Culprit(*who, turns[who], broken) for who, broken in over.most_common()),
    )


def _is_good(one: Sample, limits: Mapping[str, float]) -> bool:
    return not one.failed and all(
        one.values[measure] <= limit for measure, limit in limits.items() if measure in one.values
    )
