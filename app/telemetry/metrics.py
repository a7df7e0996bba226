"""Counters and histograms for Prometheus, right with several processes: each writes files of its own, and
whoever is asked reads them all (prometheus-client's multiprocess mode), the worker's if it shares DATA_DIR.

Names and buckets are OpenTelemetry's for generative AI, where it has them. Labels come from the configuration
and from closed sets, never from what somebody sent; and should that fail, there are only so many values.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from app.measures import Record
from app.settings import make_data_dir
from app.telemetry.files import claim, forget_dead, set_folder

# OpenTelemetry semantic conventions, gen_ai.server.time_to_first_token: advised bucket boundaries, seconds.
BUCKETS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
CALL = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
METRICS = "metrics"  # the folder under DATA_DIR
SEEN = ("ttfp", "ttfs", "ttft", "added_ttft", "tpot", "stall_max")
MOST_VALUES = 32  # of a label
LONGEST_VALUE = 80

Labels = Mapping[str, str]


class Listener(Protocol):
    """Is told the same figures, by OpenTelemetry's names."""

    def observed(self, name: str, seconds: float, labels: Labels) -> None: ...
    def counted(self, name: str, by: float, labels: Labels) -> None: ...


class Metrics:
    def __init__(self, folder: Path) -> None:
        """`folder` is shared by all processes; SystemExit with one line when it cannot be written."""
        # Start-up cost: a tenth of a second that the command lines, which count nothing, need not pay.
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values

        self._folder = make_data_dir(folder)
        set_folder(folder)
        name, self._claim = claim(folder)
        own_files = values.MultiProcessValue(lambda: name)  # type: ignore[no-untyped-call]  # it is untyped
        values.ValueClass = own_files
        self._registry = CollectorRegistry()

        def histogram(name: str, about: str, labels: tuple[str, ...]) -> Histogram:
            return Histogram(name, about, labels, buckets=BUCKETS, registry=self._registry)

        def counter(name: str, about: str, labels: tuple[str, ...]) -> Counter:
            return Counter(name, about, labels, registry=self._registry)

        route = ("route", "model", "cached")
        self._histograms = {
            "gen_ai.client.operation.time_to_first_chunk": histogram(
                "gen_ai_client_operation_time_to_first_chunk_seconds",
                "Request handed to the HTTP client to the first non-empty chunk.", CALL),
            "gen_ai.client.operation.duration": histogram(
                "gen_ai_client_operation_duration_seconds", "A call of a model, to its end.",
                (*CALL, "error_type")),
            "gen_ai.server.time_to_first_token": histogram(
                "gen_ai_server_time_to_first_token_seconds",
                "A question's arrival here to its first text.", ("gen_ai_request_model", "route")),
            **{
                f"prelude.{name}": histogram(f"prelude_{name}_seconds", f"{name}, seen by browsers.", route)
                for name in SEEN
            },
            "prelude.stage": histogram("prelude_stage_seconds", "A stage of a turn.", ("stage",)),
            "prelude.job": histogram("prelude_job_seconds", "A background job.", ("job", "outcome")),
        }  # fmt: skip
        self._counters = {
            "prelude.turns": counter("prelude_turns", "Turns that have ended.", ("outcome", *route)),
            "prelude.tokens": counter("prelude_tokens", "Tokens as the provider counted.", ("kind", "model")),
            "prelude.paints_refused": counter("prelude_paints_refused", "What no browser can have seen.", ()),
        }
        self._running = Gauge(
            "prelude_turns_running", "Turns under way.", registry=self._registry, multiprocess_mode="livesum"
        )
        self._known: dict[str, set[str]] = {}
        self.running_here = 0
        self.listener: Listener | None = None

    def turn(self, told: Record) -> None:
        """A turn that has ended: its outcome, its model call, its stages."""
        route = _route(told)
        self._count("prelude.turns", 1, {"outcome": told.outcome} | route)
        self._tokens(told)
        for span in told.spans:
            self._observe("prelude.stage", span.ms, {"stage": span.name})
        if told.call is not None:
            self.call(told.model, told.call.ms, told.error)
        if "upstream_ttft" in told.timings:
            first = told.ms("upstream_ttft")
            self._observe("gen_ai.client.operation.time_to_first_chunk", first, _call(told.model))
            model = {"gen_ai_request_model": told.model, "route": told.route}
            self._observe("gen_ai.server.time_to_first_token", told.ms("ttft"), model)

    def call(self, model: str, ms: float, error: str = "") -> None:
        """A call of a model that came to its end, or to the error of this kind."""
        self._observe("gen_ai.client.operation.duration", ms, _call(model) | {"error_type": error})

    def paint(self, told: Record, seen: Mapping[str, float]) -> None:
        """What a browser saw: milliseconds by measure."""
        for name in SEEN:
            if name in seen:
                self._observe(f"prelude.{name}", max(0.0, seen[name]), _route(told))

    def refused_paint(self) -> None:
        self._count("prelude.paints_refused", 1, {})

    def job(self, name: str, outcome: str, seconds: float) -> None:
        self._observe("prelude.job", seconds * 1_000, {"job": name, "outcome": outcome})

    def running(self, turns: int) -> None:
        """How many turns this process has under way."""
        self.running_here = turns
        self._running.set(turns)

    def text(self, gauges: Mapping[str, float]) -> bytes:
        """Everything in Prometheus' text format; `gauges` are what only the asker knows."""
        # Start-up cost, as above; who counts has paid it by now.
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        forget_dead(self._folder, "gauge_*.db")
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(self._folder))  # type: ignore[no-untyped-call]  # untyped
        lines = generate_latest(registry)
        return lines + b"".join(
            f"# HELP {name} As of now.\n# TYPE {name} gauge\n{name} {value}\n".encode()
            for name, value in gauges.items()
        )

    def _tokens(self, told: Record) -> None:
        for kind, tokens in (
            ("prompt", told.usage.prompt_tokens),
            ("cached", told.usage.cached_tokens),
            ("completion", told.usage.completion_tokens),
        ):
            if tokens:
                self._count("prelude.tokens", tokens, {"kind": kind, "model": told.model})

    def _observe(self, name: str, ms: float, labels: Labels) -> None:
        bounded = self._bounded(labels)
        self._histograms[name].labels(**bounded).observe(ms / 1_000)
        if self.listener is not None:
            self.listener.observed(name, ms / 1_000, bounded)

    def _count(self, name: str, by: float, labels: Labels) -> None:
        bounded, counter = self._bounded(labels), self._counters[name]
        (counter.labels(**bounded) if bounded else counter).inc(by)
        if self.listener is not None:
            self.listener.counted(name, by, bounded)

    def _bounded(self, labels: Labels) -> dict[str, str]:
        """Each label's first values; every further one counts as "other"."""
        return {label: self._value(label, value) for label, value in labels.items()}

    def _value(self, label: str, value: str) -> str:
        known = self._known.setdefault(label, set())
        if value not in known:
            if len(known) >= MOST_VALUES or len(value) > LONGEST_VALUE:
                return "other"
            known.add(value)
        return value


def _route(told: Record) -> dict[str, str]:
    return {"route": told.route, "model": told.model, "cached": str(told.cached).lower()}


def _call(model: str) -> dict[str, str]:
    return dict(zip(CALL, ("chat", "openai", model), strict=True))
