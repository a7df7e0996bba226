"""What changed between two results, beyond noise: a difference whose whole interval lies on one side of 0.

The model asked directly is compared too: what changed there is the machine's or the model's doing. Knows
nothing of budgets.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from e2e.latency.figures import Figure, change, figure
from e2e.latency.result import Result
from e2e.latency.sample import Run

FEWEST = {50: 5, 95: 20}  # samples; of fewer, chance alone moves that percentile too often
LEAST = 2.0  # milliseconds, and
SHARE = 0.05  # of the earlier figure: what is less is no news, however certain
DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Change:
    scenario: str
    measure: str
    before: float
    by: Figure

    @property
    def sentence(self) -> str:
        unit, more, less = ("", "more", "less") if self.measure == "calls" else (" ms", "slower", "faster")
        whose = " (the model itself, asked directly)" if self.measure == DIRECT else ""
        low, high = sorted((abs(self.by.low), abs(self.by.high)))
        by = f"{abs(self.by.mid):g}{unit} {more if self.by.mid > 0 else less} [{low:g}, {high:g}]"
        return f"{self.scenario}: {self.measure}_p{self.by.p}{whose} is {by} than {self.before:g}{unit}"


def changes(earlier: Result, later: Result) -> list[Change]:
    """For every scenario and measure that both have, the largest first."""
    pairs = _pairs(earlier, later)
    found = [change for old, new in pairs if not _why_not(old, new) for change in _between(old, new)]
    return sorted(filter(_is_news, found), key=lambda one: -abs(one.by.mid))


def not_compared(earlier: Result, later: Result) -> list[str]:
    """A sentence for each scenario of the later one that cannot be compared, and for another machine."""
    both = {old.name for old, _ in _pairs(earlier, later)}
    said = [f"{part.run.name}: the earlier result has no such scenario" for part in later.parts
            if part.run.name not in both]  # fmt: skip
    said += [f"{new.name}: {why}" for old, new in _pairs(earlier, later) if (why := _why_not(old, new))]
    if earlier.machine != later.machine:
        said.append(f"the earlier result is of another machine ({earlier.machine})")
    return said


def _pairs(earlier: Result, later: Result) -> list[tuple[Run, Run]]:
    before = {part.run.name: part.run for part in earlier.parts}
    return [(before[part.run.name], part.run) for part in later.parts if part.run.name in before]


def _why_not(old: Run, new: Run) -> str:
    if old.refused or new.refused:
        return "a run that was refused is not compared"
    if (old.door, old.upstream) != (new.door, new.upstream):
        return f"it was {old.door} {old.upstream}, and is {new.door} {new.upstream}".replace("  ", " ")
    return ""


def _between(old: Run, new: Run) -> Iterator[Change]:
    for measure in sorted({name for sample in new.counted for name in sample.values} | {DIRECT}):
        before, after = _values(old, measure), _values(new, measure)
        for p, fewest in FEWEST.items():
            if min(len(before), len(after)) >= fewest:
                yield Change(new.name, measure, figure(before, p).mid, change(before, after, p))


def _values(run: Run, measure: str) -> list[float]:
    if measure != DIRECT:
        return run.of(measure)
    return [sample.direct for sample in run.counted if sample.direct is not None]


def _is_news(one: Change) -> bool:
    beyond_noise = one.by.low > 0 or one.by.high < 0
    return beyond_noise and abs(one.by.mid) >= max(_least(one), SHARE * abs(one.before))


def _least(one: Change) -> float:
    return 0.0 if one.measure == "calls" else LEAST
