"""What one turn's wait was made of: the server's part, read off its events, and what the browser painted.

Names and definitions are the field's (docs/latency.md). All times are milliseconds. Pure: knows no database,
no HTML and no percentiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import msgspec

from app.events import Ended, Failed, Finished, Prompted, Routed, Span, TurnEvent, Usage

MEASURES = ("ttfp", "ttfs", "ttft", "added_ttft", "upstream_ttft", "tpot", "stall_max", "total")
# What a reader should not have to wait longer for: 0.1 s feels instant and 1 s keeps the flow (Nielsen),
# 20 tokens a second is faster than people read, and a pause of a second looks like the end.
BUDGETS = {"ttfp": 100.0, "ttfs": 250.0, "ttft": 1_000.0, "tpot": 50.0, "stall_max": 1_000.0}

LONGEST = 3_600_000.0  # no turn takes an hour
SLACK = 50.0  # two clocks, and a first paint that came with the frame before

Side = Literal["browser", "server", "model", "gap"]
MODEL_STAGES = ("small", "connect", "prefill", "decode")
SEARCHING = {"embed", "dense", "lexical", "rewrite", "meant", "warm"}  # what a search is drawn by


class Record(msgspec.Struct, frozen=True):
    """The server's part of one turn; `spans` and `timings` count from the question's arrival.

    `outcome` is "finished", or the kind of its failure; `prompt` is estimated tokens by part.
    """

    route: str = ""
    model: str = ""
    cached: bool = False
    outcome: str = "finished"
    usage: Usage = msgspec.field(default_factory=Usage)
    timings: dict[str, float] = {}
    spans: tuple[Span, ...] = ()
    prompt: dict[str, int] = {}
    prefix: str = ""

    def ms(self, stage: str) -> float:
        return self.timings.get(stage, 0.0)

    @property
    def error(self) -> str:
        """The kind of its failure, if it is one: what a reader stopped did not fail."""
        return "" if self.outcome in ("finished", "stopped") else self.outcome

    @property
    def call(self) -> Span | None:
        """The call of the model, from its first stage to its last; None when it was not called."""
        parts = [span for span in self.spans if span.name in MODEL_STAGES]
        if not parts:
            return None
        start = min(span.start for span in parts)
        return Span("call", start, max(span.start + span.ms for span in parts) - start)


class Paint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the reader saw, counted from the `timeStamp` of the event that sent the question.

    `sent` and `got`: its request left, and its response's first byte came. `ttfp`, `ttfs`, `ttft`: painted;
    None when the turn had none. `last`: the last text. `stall_max`: the longest gap between two texts.
    `hidden`: the tab was in the background at some time. `resumed`: the stream broke and was taken up again.
    """

    sent: float
    got: float
    end: float
    ttfp: float | None = None
    ttfs: float | None = None
    ttft: float | None = None
    last: float | None = None
    stall_max: float = 0.0
    hidden: bool = False
    resumed: bool = False

    @property
    def counts(self) -> bool:
        """Whether its times are a reader's wait: nobody waits for a tab that is out of sight."""
        return not (self.hidden or self.resumed)


class Rendered(msgspec.Struct, frozen=True):
    """What drawing a turn's frames cost the web process: the first text's, all of them, and how many."""

    first: float = 0.0
    total: float = 0.0
    frames: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A bar of the waterfall: `start` counts from the submit event when the browser told, else from the
    question's arrival."""

    name: str
    start: float
    ms: float
    side: Side

    @property
    def end(self) -> float:
        return self.start + self.ms


def record(events: Sequence[TurnEvent]) -> Record:
    """Reads a turn's events, which end with a `Finished` or `Failed`."""
    routed = next((event for event in reversed(events) if isinstance(event, Routed)), Routed("", "", ""))
    prompted = next((event for event in reversed(events) if isinstance(event, Prompted)), Prompted({}, ""))
    end = events[-1]
    if not isinstance(end, Ended):
        raise ValueError("a turn that has not ended has no record")
    return Record(
        route=routed.route,
        model=routed.model,
        cached=isinstance(end, Finished) and end.cached,
        outcome=end.kind if isinstance(end, Failed) else "finished",
        usage=end.usage if isinstance(end, Finished) else Usage(),
        timings=end.timings,
        spans=end.spans,
        prompt=prompted.tokens,
        prefix=prompted.prefix,
    )


def implausible(paint: Paint, record: Record | None = None, since: float = LONGEST) -> str:
    """Why a browser cannot have seen this, in a few words; an empty string when it can. `since` is how long
    ago the question arrived: nobody tells of what is still to come."""
    order = [paint.sent, paint.got, paint.ttfp, paint.ttfs, paint.ttft, paint.last, paint.end]
    times = [time for time in [*order, paint.stall_max] if time is not None]
    if not all(isfinite(time) and 0 <= time <= LONGEST for time in times):
        return "a time is negative, or longer than an hour"
    if (paint.ttft is None) != (paint.last is None):
        return "a first text has a last one, and no other has"
    written = 0.0 if paint.ttft is None or paint.last is None else paint.last - paint.ttft
    for earlier, later in (
        (paint.sent, paint.got),
        *((paint.got, first) for first in (paint.ttfp, paint.ttfs, paint.ttft)),
        (paint.ttft, paint.last),
        *((shown, paint.end) for shown in (paint.got, paint.ttfp, paint.ttfs, paint.last)),
        (paint.stall_max, written),
    ):
        if earlier is not None and later is not None and earlier > later + SLACK:
            return "its times are out of order"
    if paint.end - paint.got > since + SLACK:
        return "its end is still to come"
    return "" if record is None or paint.resumed else _unfounded(paint, record)


def _unfounded(paint: Paint, record: Record) -> str:
    """Nothing is seen before it happened, whatever the clocks: the submit event came before the question."""
    if paint.ttft is not None and "ttft" not in record.timings:
        return "it saw text that there was not"
    if paint.ttft is None and "ttft" in record.timings:
        return "it saw none of the text"
    if paint.ttft is not None and paint.ttft + SLACK < record.timings["ttft"]:
        return "it saw text before there was any"
    if paint.end + SLACK < record.ms("total"):
        return "it saw the end before there was one"
    return ""


def offset(record: Record, paint: Paint | None) -> float:
    """When the question arrived, on the browser's clock: half of what the round trip took beyond the server's
    own time in it (as NTP does it); 0 without a browser."""
    if paint is None:
        return 0.0
    travel = max(0.0, paint.got - paint.sent - record.ms("queue"))
    return paint.sent + travel / 2


def values(record: Record, paint: Paint | None, rendered: Rendered | None = None) -> dict[str, float]:
    """Every measure and stage that this turn has, by name.

    What a reader waits for is the browser's, where somebody was waiting, and nobody's else: the same by the
    server's clock is called `server_…`. `own` is the browser's part, from the key to the paint without the
    server's time to its first text.
    """
    found = {span.name: span.ms for span in record.spans} | _of_server(record)
    if rendered is not None and rendered.first:
        found["render"] = rendered.first
    if paint is not None and paint.counts:
        found |= _of_reader(record, paint)
    return {name: round(time, 2) for name, time in found.items()}


def _of_server(record: Record) -> dict[str, float]:
    timings = record.timings
    found = {f"server_{name}": timings[name] for name in ("ttft", "stall_max", "total") if name in timings}
    if "upstream_ttft" in timings:
        found["upstream_ttft"] = timings["upstream_ttft"]
    if "decode" in record.timings:
        found |= _pace("server_tpot", record.timings["decode"], record)
    return found


def _of_reader(record: Record, paint: Paint) -> dict[str, float]:
    seen = {"ttfp": paint.ttfp, "ttfs": paint.ttfs, "ttft": paint.ttft, "total": paint.end}
    found = {name: time for name, time in seen.items() if time is not None}
    if paint.ttft is not None and paint.last is not None:
        found["stall_max"] = paint.stall_max
        found["added_ttft"] = paint.ttft - record.ms("upstream_ttft") - unhidden_retrieval(record)
        found["own"] = paint.ttft - record.ms("ttft")
        found |= _pace("tpot", paint.last - paint.ttft, record)
    return found


def _pace(name: str, ms: float, record: Record) -> dict[str, float]:
    """Time per output token; the first token was prefill's."""
    tokens = record.usage.completion_tokens
    return {name: ms / (tokens - 1)} if tokens > 1 else {}


def unhidden_retrieval(record: Record) -> float:
    """What of the search the history did not hide, which runs beside it and is waited for too."""
    ends = {span.name: span.start + span.ms for span in record.spans}
    search = next((span for span in record.spans if span.name == "search"), None)
    if search is None:
        return 0.0
    return max(0.0, ends["search"] - max(search.start, ends.get("history", 0.0)))


def stages(record: Record, paint: Paint | None = None, rendered: Rendered | None = None) -> list[Stage]:
    """The waterfall: every stage on one clock, in order of its start, and a `gap` for each stretch before
    the first text in which none of them ran."""
    origin = offset(record, paint)
    found = [
        Stage(
            span.name,
            round(origin + span.start, 2),
            span.ms,
            "model" if span.name in MODEL_STAGES else "server",
        )
        for span in record.spans
        if span.name != "search" or SEARCHING.isdisjoint(other.name for other in record.spans)
    ]
    first = origin + record.timings["ttft"] if "ttft" in record.timings else None
    if first is not None and rendered is not None and rendered.first:
        found.append(Stage("render", round(first, 2), rendered.first, "server"))
    if paint is not None:
        found.append(Stage("send", 0.0, round(origin, 2), "browser"))
        if first is not None and paint.ttft is not None:
            found.append(Stage("deliver", round(first, 2), round(max(0.0, paint.ttft - first), 2), "browser"))
    found.sort(key=lambda stage: (stage.start, -stage.ms))
    return _with_gaps(found, first if first is not None else 0.0)


GAP = 1.0  # shorter ones are the steps between two stages


def _with_gaps(found: Sequence[Stage], until: float) -> list[Stage]:
    """Nothing hides between the stages: what none of them accounts for is shown too."""
    whole: list[Stage] = []
    reached = 0.0
    for stage in found:
        if stage.start - reached > GAP and stage.start <= until + GAP:
            whole.append(Stage("gap", round(reached, 2), round(stage.start - reached, 2), "gap"))
        whole.append(stage)
        reached = max(reached, stage.end)
    return whole
