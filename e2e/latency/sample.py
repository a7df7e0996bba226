"""What one question brought, and what a whole scenario did."""

from collections.abc import Sequence
from typing import Any

import msgspec

from app.measures import Stage

MOST_LOST = 0.05  # of all turns: a measure of those that went well would flatter


class Sample(msgspec.Struct, frozen=True):
    """One turn. `values` are by name, as budgets name them; `stages` are its waterfall; `seen` are the marks
    of the suite's own instrument; `direct` is the same question's first token at the model itself, asked in
    between; `left_out` says why it does not count."""

    turn: str
    question: str
    values: dict[str, float]
    stages: tuple[Stage, ...] = ()
    seen: dict[str, float] = {}
    direct: float | None = None
    left_out: str = ""


class Run(msgspec.Struct, frozen=True):
    """A scenario's samples, its warm-up left out. `refused` says why none of it counts."""

    name: str
    about: str
    door: str
    upstream: str
    samples: tuple[Sample, ...]
    refused: str = ""

    @property
    def counted(self) -> list[Sample]:
        return [sample for sample in self.samples if not sample.left_out]

    @property
    def lost(self) -> str:
        """Why too few turns count for a verdict, with an example; an empty string when enough do."""
        left_out = [sample.left_out for sample in self.samples if sample.left_out]
        if len(left_out) <= MOST_LOST * len(self.samples):
            return ""
        return f"{len(left_out)} of {len(self.samples)} turns do not count, for example: {left_out[0]}"

    def of(self, measure: str) -> list[float]:
        return [sample.values[measure] for sample in self.counted if measure in sample.values]


def whole(values: dict[str, float], stages: Sequence[Stage], more: dict[str, Any]) -> dict[str, float]:
    """A turn's values with those that only its waterfall or the suite knows; a stage that did not run, 0."""
    by_stage: dict[str, float] = {"gap": 0.0}
    for stage in stages:
        by_stage[stage.name] = by_stage.get(stage.name, 0.0) + stage.ms
    return {name: value for name, value in (by_stage | values | more).items() if value is not None}
