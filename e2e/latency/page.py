"""A result as one self-contained HTML page: budgets, curves, and the waterfalls of the slowest turns."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from e2e.latency.budgets import STAGES
from e2e.latency.compare import Change
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


def draw(result: Result, changes: Sequence[Change]) -> str:
    template = _templates.from_string((HERE / "page.html").read_text(encoding="utf-8"))
    looks = Markup(style() + (HERE / "page.css").read_text(encoding="utf-8"))  # ours, not input
    return template.render(result=result, changes=changes, parts=list(map(_drawn, result.parts)), style=looks)


def _drawn(part: Part) -> dict[str, object]:
    slowest = sorted(part.run.counted, key=lambda sample: -sample.values.get("ttft", 0.0))[:SLOWEST]
    return {
        "part": part,
        "left_out": len(part.run.samples) - len(part.run.counted),
        "figures": [(name, found) for name, found in part.figures().items() if name not in ("calls",)],
        "pictures": list(_pictures(part)),
        "slowest": [(sample.question, _waterfall(sample)) for sample in slowest],
    }


def _pictures(part: Part) -> Iterator[Markup]:
    waits = {name: values for name in READERS if (values := part.run.of(name))}
    direct = [sample.direct for sample in part.run.counted if sample.direct is not None]
    yield curves(waits | ({"model, directly": direct} if direct else {}), title="What readers waited for")
    times = [finding for finding in part.findings if finding.budget.measure != "calls"]
    inner = [finding for finding in times if finding.budget.measure in INNER]
    yield intervals(list(_rows([f for f in times if f not in inner])), title="Readers' budgets")
    yield intervals(list(_rows(inner)), title="Stages' budgets")
    ttft = [(float(n), value) for n, value in enumerate(part.run.of("ttft"), 1)]
    yield lines({"ttft": ttft}, x="turn", y="ms", title="First token, turn by turn")


def _rows(findings: Sequence[Finding]) -> Iterator[Interval]:
    for finding in findings:
        if (found := finding.figure) is not None:
            yield Interval(finding.budget.name, found.low, found.mid, found.high, finding.budget.limit)


def _waterfall(sample: Sample) -> Markup:
    marks = [Mark(name, sample.values[name]) for name in READERS if name in sample.values]
    bars = [Bar(stage.name, stage.start, stage.ms, stage.side) for stage in sample.stages]
    return gantt(bars, marks, title=sample.question, legend=SIDES)
