"""Runs and results with figures of a test's choosing."""

from typing import Any

from app.measures import Side, Stage
from e2e.latency.budgets import budgets
from e2e.latency.result import Part, Result
from e2e.latency.sample import Run, Sample
from e2e.latency.scenario import load
from e2e.latency.verdict import Finding, judge

HEALTHY: dict[str, float] = {
    "send": 4, "queue": 8, "route": 0, "history": 9, "embed": 30, "dense": 5, "prompt": 0.1, "connect": 2,
    "prefill": 201, "gap": 0, "render": 0.2, "deliver": 14, "loop": 12, "calls": 0, "ttfp": 30, "ttfs": 70,
    "ttft": 270, "beyond_direct": 58, "own": 17,
}  # fmt: skip
ORDER: dict[str, Side] = {
    "send": "browser", "queue": "server", "embed": "server", "dense": "server", "gap": "gap",
    "prompt": "server", "connect": "model", "prefill": "model", "deliver": "browser",
}  # fmt: skip
TURNS = 24
DIRECT = 212.0


def sample(n: int = 0, *, question: str = "How do I start it?", left_out: str = "",
           direct: float | None = DIRECT, **values: float) -> Sample:  # fmt: skip
    """A healthy turn but for `values`; turns differ a little, always in the same way."""
    wobble = (n * 7 % 5) / 10
    known = {name: value + wobble if value > 1 else value for name, value in (HEALTHY | values).items()}
    at_model = None if direct is None else direct + wobble
    return Sample(f"{n:032x}", question, known, _stages(known), {}, at_model, left_out)


def _stages(values: dict[str, float]) -> tuple[Stage, ...]:
    """One after another, in the order of a turn; the gap between the search and the prompt."""
    made, at = [], 0.0
    for name, side in ORDER.items():
        if name != "gap" or values["gap"]:
            made.append(Stage(name, at, values[name], side))
        at += values[name]
    return tuple(made)


def run(name: str = "made", *, turns: int = TURNS, upstream: str = "sim-ttft200", refused: str = "",
        **kinds: Any) -> Run:  # fmt: skip
    samples = tuple(sample(n, **kinds) for n in range(turns))
    return Run(name, "A run that was made up", "browser", upstream, samples, refused)


def judged(one: Run, **limits: float) -> dict[str, Finding]:
    """By the budgets given and by the suite's own for stages, by name."""
    found = judge(one, budgets(limits), load()[1])
    return {finding.budget.name: finding for finding in found}


def result(*runs: Run, machine: str = "2 cores", url: str = "", **limits: float) -> Result:
    whole = Result(made="2026-12-01T12:00:00+00:00", machine=machine, url=url, parts=())
    for one in runs:
        whole = whole.plus(one, list(judged(one, **limits).values()))
    return whole


def part(one: Run, **limits: Any) -> Part:
    return result(one, **limits).parts[0]
