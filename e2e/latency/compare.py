"""What changed between two results, beyond noise: a difference whose whole interval lies on one side of 0."""

from dataclasses import dataclass

from e2e.latency.figures import Figure, change
from e2e.latency.result import Result

PERCENTILES = (50, 95)
LEAST = 2.0  # milliseconds, and
SHARE = 0.05  # of the earlier figure: what is less is no news, however certain
FEWEST = 3  # samples


@dataclass(frozen=True, slots=True)
class Change:
    scenario: str
    measure: str
    before: float
    by: Figure

    @property
    def sentence(self) -> str:
        word = "slower" if self.by.mid > 0 else "faster"
        return (f"{self.scenario}: {self.measure}_p{self.by.p} is {abs(self.by.mid):g} ms {word} "
                f"[{self.by.low:g}, {self.by.high:g}] than {self.before:g} ms")  # fmt: skip


def changes(earlier: Result, later: Result) -> list[Change]:
    """For every scenario and measure that both have, the largest first."""
    before = {part.run.name: part for part in earlier.parts}
    found = [
        Change(part.run.name, measure, _at(old.run.of(measure), p), change(old.run.of(measure), values, p))
        for part in later.parts
        if (old := before.get(part.run.name)) is not None
        for measure in sorted({name for sample in part.run.counted for name in sample.values})
        for p in PERCENTILES
        if len(values := part.run.of(measure)) >= FEWEST and len(old.run.of(measure)) >= FEWEST
    ]
    return sorted(filter(_is_news, found), key=lambda one: -abs(one.by.mid))


def _is_news(one: Change) -> bool:
    beyond_noise = one.by.low > 0 or one.by.high < 0
    return beyond_noise and abs(one.by.mid) >= max(LEAST, SHARE * abs(one.before))


def _at(values: list[float], p: int) -> float:
    return change([0.0], values, p).mid
