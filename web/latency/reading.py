"""What is kept of the turns that are read, part by part: a sample of each, and the slowest whole.

Ten thousand whole records would be three hundred thousand objects, which the garbage collector would walk
while everybody's streams wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.statistics import Sample, sample, slowest
from app.store.measures import Measured

SLOWEST = 10


@dataclass
class Reading:
    """`samples` in the order in which the turns were read; `slow` from the slowest on."""

    samples: list[Sample] = field(default_factory=list)
    slow: list[tuple[Measured, Sample]] = field(default_factory=list)

    def take(self, turns: Sequence[Measured]) -> None:
        new = [sample(turn.record, turn.paint, turn.rendered, turn.created) for turn in turns]
        self.samples += new
        candidates = [*self.slow, *zip(turns, new, strict=True)]
        self.slow = [candidates[place] for place in slowest([one for _, one in candidates], SLOWEST)]
