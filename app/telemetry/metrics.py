"""Counters and histograms for Prometheus, right with several processes: each writes files of its own, and
whoever is asked reads them all (prometheus-client's multiprocess mode), the worker's if it shares DATA_DIR.

Names and buckets are OpenTelemetry's for generative AI, where it has them. Labels come from the configuration
and from closed sets, never from what somebody sent.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from app.measures import Record
from app.settings import make_data_dir

# OpenTelemetry semantic conventions, gen_ai.server.time_to_first_token: advised bucket boundaries, seconds.
BUCKETS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
CALL = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
METRICS = "metrics"  # the folder under DATA_DIR
SEEN = ("ttfp", "ttfs", "ttft", "added_ttft", "tpot", "stall_max")

Observe = Callable[[str, float, Mapping[str, str]], None]


class Metrics:
    def __init__(self, folder: Path) -> None:
        """`folder` is shared by all processes; SystemExit with one line when it cannot be written."""
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(make_data_dir(folder).absolute()))
        # It decides when it is imported whether it counts for one process or for several.
        from prometheus_client import CollectorRegistry, Counter, Histogram

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
                "gen_ai_client_operation_duration_seconds", "A call of a model, to its end.", CALL),
            "gen_ai.server.time_to_first_token": histogram(
                "gen_ai_server_time_to_first_token_seconds",
                "A question's arrival here to its first text.", ("gen_ai_request_model",)),
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
        self.listener: Observe = lambda name, value, labels: None

    def turn(self, told: Record) -> None:
        """A turn that has ended: its outcome, its model call, its stages."""
        route = _route(told)
        self._count("prelude.turns", 1, {"outcome": told.outcome} | route)
        for kind, tokens in (
            ("prompt", told.usage.prompt_tokens),
            ("cached", told.usage.cached_tokens),
            ("completion", told.usage.completion_tokens),
        ):
            self._count("prelude.tokens", tokens, {"kind": kind, "model": told.model})
        for span in told.spans:
            self._observe("prelude.stage", span.ms, {"stage": span.name})
        if "upstream_ttft" in told.timings:
            call = dict(zip(CALL, ("chat", "openai", told.model), strict=True))
            first, after = told.ms("upstream_ttft"), told.ms("decode")
            self._observe("gen_ai.client.operation.time_to_first_chunk", first, call)
            self._observe("gen_ai.client.operation.duration", first + after, call)
            model = {"gen_ai_request_model": told.model}
            self._observe("gen_ai.server.time_to_first_token", told.ms("ttft"), model)

    def paint(self, told: Record, seen: Mapping[str, float]) -> None:
        """What a browser saw: milliseconds by measure."""
        for name in SEEN:
            if name in seen:
                self._observe(f"prelude.{name}", max(0.0, seen[name]), _route(told))

    def refused_paint(self) -> None:
        self._count("prelude.paints_refused", 1, {})

    def job(self, name: str, outcome: str, seconds: float) -> None:
        self._observe("prelude.job", seconds * 1_000, {"job": name, "outcome": outcome})

    def text(self, gauges: Mapping[str, float]) -> bytes:
        """Everything in Prometheus' text format; `gauges` are what only the asker knows."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # prometheus-client leaves it untyped
        lines = generate_latest(registry)
        return lines + b"".join(
            f"# HELP {name} As of now.\n# TYPE {name} gauge\n{name} {value}\n".encode()
            for name, value in gauges.items()
        )

    def _observe(self, name: str, ms: float, labels: Mapping[str, str]) -> None:
        self._histograms[name].labels(**labels).observe(ms / 1_000)
        self.listener(name, ms / 1_000, labels)

    def _count(self, name: str, by: float, labels: Mapping[str, str]) -> None:
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc(by)


def _route(told: Record) -> dict[str, str]:
    return {"route": told.route, "model": told.model, "cached": str(told.cached).lower()}


def forget_dead(folder: Path) -> None:
    """At the start of the door: files of processes that are gone no longer count, and would only pile up."""
    for file in folder.glob("*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if pid.isdecimal() and not _runs(int(pid)):
            file.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
