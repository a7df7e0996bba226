"""Which budgets held, beyond noise, and which stage is to blame where one did not."""

from collections.abc import Sequence

import msgspec

from e2e.latency.budgets import Budget
from e2e.latency.figures import Figure, figure
from e2e.latency.sample import Run, Sample

BLAMED = 3  # stages at the most
FIRST = ("send", "queue", "loop")
BLAMABLE = {  # what comes later than a measure, or only before it, is no reason for it
    "ttfp": FIRST,
    "ttfs": (*FIRST, "route", "history", "warm", "embed", "dense", "lexical", "rewrite", "meant", "fuse",
             "settle", "gap"),
    "tpot": ("loop",),
    "stall_max": ("loop",),
}
WHY = {
    "send": "the question was long on its way to the server",
    "queue": "the server was long before it began the turn (reading, keeping, waiting for the one before)",
    "route": "choosing the route took long",
    "history": "the conversation was long in coming from the database",
    "embed": "the question's vector was long in coming",
    "dense": "the search of the passages took long, and the sources waited for it",
    "lexical": "the search by words took long, and the sources waited for it",
    "warm": "a search that had begun while the question was typed was long in coming to its end",
    "rewrite": "it took long to work out what a follow-up means",
    "meant": "the search for what a follow-up means took long",
    "fuse": "choosing among the passages took long",
    "settle": "settling the route took long",
    "small": "the small model answered first, and its answer would not do",
    "prompt": "building the prompt took long",
    "connect": "a connection to the model was long in coming",
    "prefill": "the model was long before its first token, longer than when it is asked directly",
    "gap": "time passed in no stage at all: something waits between them that tells nobody",
    "render": "drawing the first frame took long",
    "deliver": "the first text was long on its way to the page: a frame that was not flushed, or a busy page",
    "loop": "the event loop stood still: something blocks it",
    "calls": "another call went to the model before the answer's own",
}  # fmt: skip

NOBODY = "no stage that could be why is above its own budget"


class Finding(msgspec.Struct, frozen=True):
    """`figure` against `budget`. "broken": its whole interval lies above; "unsure": only its middle does."""

    budget: Budget
    figure: Figure | None
    state: str
    blamed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        name, found = self.budget.name, self.figure
        if found is None:
            return f"{name}: nothing was measured, so its budget of {self.budget.limit:g} says nothing"
        said = f"{name} is {found.mid:g} [{found.low:g}, {found.high:g}] (n={found.n})"
        why = "; ".join(self.blamed) or (NOBODY if self.state == "broken" else "")
        return f"{said}, budget {self.budget.limit:g}{': ' if why else ''}{why}"


def judge(run: Run, budgets: Sequence[Budget], stages: Sequence[Budget]) -> list[Finding]:
    """The scenario's own budgets and those of every stage; each broken one names the stages above theirs.

    A scenario's own budget for a stage stands for the usual one. A run that was refused has no other verdict.
    """
    if run.refused:
        return []
    own, usual = {budget.name: budget for budget in budgets}, {budget.name for budget in stages}
    by_stage = [_find(run, own.get(budget.name, budget)) for budget in stages]
    guilty = [finding for finding in by_stage if finding.state == "broken"]
    guilty.sort(key=_excess, reverse=True)
    found = [_find(run, budget) for budget in budgets if budget.name not in usual]
    return [_blame(finding, _reasons(run, finding.budget.measure, guilty)) for finding in found] + [
        _blame(finding, (explain(run, finding),))
        for finding in by_stage
        if finding.figure is not None or finding.budget.name in own
    ]


def _reasons(run: Run, measure: str, guilty: Sequence[Finding]) -> tuple[str, ...]:
    """The stages that can have made a measure longer, the worst first."""
    able = [one for one in guilty if one.budget.measure in BLAMABLE.get(measure, WHY)]
    return tuple(f"{one.budget.measure}: {explain(run, one)}" for one in able[:BLAMED])


def explain(run: Run, finding: Finding) -> str:
    """What a stage above its budget means, with its figure, and between which stages a gap lies."""
    name, found = finding.budget.measure, finding.figure
    where = _between(run.counted) if name == "gap" else ""
    took = "" if found is None else f" ({found.mid:g}{'' if name == 'calls' else ' ms'})"
    return f"{WHY.get(name, name)}{took}{where}"


def _find(run: Run, budget: Budget) -> Finding:
    values = _beyond_direct(run) if budget.measure == "prefill" else run.of(budget.measure)
    if not values:
        return Finding(budget, None, "unknown")
    found = figure(values, budget.p)
    state = "held" if found.mid <= budget.limit else "broken" if found.low > budget.limit else "unsure"
    return Finding(budget, found, state)


def _beyond_direct(run: Run) -> list[float]:
    """Prefill is the model's: what counts is how much longer it takes here than when it is asked directly."""
    direct = [sample.direct for sample in run.counted if sample.direct is not None]
    if not direct:
        return []
    usual = figure(direct, 50).mid
    return [value - usual for value in run.of("prefill")]


def _excess(finding: Finding) -> float:
    """A blocked loop and a needless call explain the other stages; among those the longest comes first."""
    if finding.budget.measure in ("calls", "loop"):
        return float("inf")
    return 0.0 if finding.figure is None else finding.figure.mid - finding.budget.limit


def _blame(finding: Finding, blamed: tuple[str, ...]) -> Finding:
    return finding if finding.state == "held" else msgspec.structs.replace(finding, blamed=blamed)


def _between(samples: Sequence[Sample]) -> str:
    """The stages around a long gap: the one that three quarters of all gaps are shorter than."""
    gaps = [
        (stage.ms, sample.stages[n - 1].name if n else "the key", after)
        for sample in samples
        for n, stage in enumerate(sample.stages)
        if stage.name == "gap"
        for after in [sample.stages[n + 1].name if n + 1 < len(sample.stages) else "the end"]
    ]
    if not gaps:
        return ""
    _, before, after = sorted(gaps)[len(gaps) * 3 // 4]
    return f", between {before} and {after}"
