"""A result as one self-contained HTML page: budgets, curves, and the waterfalls of the slowest turns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from app.measures import MEASURES
from e2e.latency.budgets import STAGES
from e2e.latency.compare import Change
from e2e.latency.figures import Figure
from e2e.latency.result import Part, Result
from e2e.latency.sample import Sample
from e2e.latency.verdict import Finding
from web.charts import Bar, Interval, Mark, curves, gantt, intervals, lines, style

HERE = Path(__file__).parent
INNER = (*STAGES, "loop")
READERS = ("ttfp", "ttfs", "ttft")
SLOWEST = 3
SIDES = {"browser": "browser", "server": "server", "model": "model", "gap": "in no stage"}
_templates = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def draw(result: Result, changes: Sequence[Change] | None = None, not_compared: Sequence[str] = ()) -> str:
    """`changes` is None when there was nothing to compare with."""
    template = _templates.from_string((HERE / "page.html").read_text(encoding="utf-8"))
    looks = Markup(style() + (HERE / "page.css").read_text(encoding="utf-8"))  # ours, not input
    parts = [_drawn(part, n) for n, part in enumerate(result.parts)]
    return template.render(result=result, changes=changes, not_compared=not_compared, parts=parts,
                           style=looks, readers=READERS)  # fmt: skip


def _drawn(part: Part, n: int) -> dict[str, object]:
    slowest = sorted(part.run.counted, key=lambda sample: -sample.values.get("ttft", 0.0))[:SLOWEST]
    figures = part.figures()
    return {
        "part": part,
        "anchor": f"scenario-{n}",
        "verdict": _verdict(part),
        "shown": {name: _cells(figures.get(name)) for name in READERS},
        "left_out": list(Counter(one.left_out for one in part.run.samples if one.left_out).items()),
        "figures": sorted(figures.items(), key=lambda item: (item[0] not in MEASURES, item[0])),
        "pictures": list(_pictures(part)),
        "slowest": [(sample.question, _waterfall(sample)) for sample in slowest],
    }


def _verdict(part: Part) -> str:
    if part.run.refused:
        return "refused"
    if part.broken:
        return "broken"
    return "unsure" if any(finding.state == "unsure" for finding in part.findings) else "held"


def _cells(found: Sequence[Figure] | None) -> tuple[str, str]:
    return ("–", "–") if found is None else (f"{found[0].mid:.0f}", f"{found[1].mid:.0f}")


def _pictures(part: Part) -> Iterator[Markup]:
    waits = {name: values for name in READERS if (values := part.run.of(name))}
    direct = [sample.direct for sample in part.run.counted if sample.direct is not None]
    times = [finding for finding in part.findings if finding.figure and finding.budget.measure != "calls"]
    inner = [finding for finding in times if finding.budget.measure in INNER]
    ttft = [(float(n), value) for n, value in enumerate(part.run.of("ttft"), 1)]
    if waits:
        waits |= {"model, directly": direct} if direct else {}
        yield curves(waits, title="What readers waited for")
    if len(times) > len(inner):
        yield intervals(list(_rows([f for f in times if f not in inner])), title="Readers' budgets")
    if inner:
        yield intervals(list(_rows(inner)), title="Stages' budgets")
    if ttft:
        yield lines({"ttft": ttft}, x="turn", y="ms", title="First token, turn by turn")


def _rows(findings: Sequence[Finding]) -> Iterator[Interval]:
    for finding in findings:
        if (found := finding.figure) is not None:
            beyond = ", beyond direct" if finding.budget.measure == "prefill" else ""
            yield Interval(
                finding.budget.name + beyond, found.low, found.mid, found.high, finding.budget.limit
            )


def _waterfall(sample: Sample) -> Markup:
    """Up to the first token: what comes after it would push the wait into a corner."""
    marks = [Mark(name, sample.values[name]) for name in READERS if name in sample.values]
    bars = [
        Bar(stage.name, stage.start, stage.ms, stage.side)
        for stage in sample.stages
        if stage.name != "decode"
    ]
    return gantt(bars, marks, title="Before the first token", legend=SIDES)
