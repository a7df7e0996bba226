"""Traces and metrics over OTLP, for whoever has set OTEL_EXPORTER_OTLP_ENDPOINT; every other variable of
OpenTelemetry's SDK (headers, resource attributes, samplers) works as its documentation says.

A turn is one trace, across web and worker and on to the model's server, and its id is the turn's own: so a
log line, a page's address and a trace are found by the same id. All spans of a turn are made after it has
ended, from the figures it carries; nothing is traced while somebody waits.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from app.measures import MODEL_STAGES, Record
from app.telemetry.metrics import BUCKETS, Metrics
from app.turn import Turn

FLUSH_MS = 1_000


class TurnIds(RandomIdGenerator):
    """Random ids, but for the next trace and span whose ids are given."""

    def __init__(self) -> None:
        self.trace = self.span = 0

    def generate_trace_id(self) -> int:
        given, self.trace = self.trace, 0
        return given or super().generate_trace_id()

    def generate_span_id(self) -> int:
        given, self.span = self.span, 0
        return given or super().generate_span_id()


class Exported:
    def __init__(self, service: str, metrics: Metrics, *, with_texts: bool) -> None:
        resource = Resource.create({"service.name": f"prelude-{service}"})
        self._ids = TurnIds()
        self._with_texts = with_texts
        self._provider = TracerProvider(resource=resource, id_generator=self._ids)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("prelude")
        self._meters = MeterProvider(
            [PeriodicExportingMetricReader(OTLPMetricExporter())],
            resource=resource,
            views=[View(instrument_type=Histogram, aggregation=ExplicitBucketHistogramAggregation(BUCKETS))],
        )
        self._meter = self._meters.get_meter("prelude")
        self._histograms: dict[str, Any] = {}
        metrics.listener = self._observe

    def turn(self, turn: Turn, told: Record) -> None:
        """The turn's span, with one for every stage in it, and one for the call of the model."""
        at = Clock(turn.created)
        self._ids.trace, self._ids.span = int(turn.id, 16), int(turn.id[:16], 16)
        about = _about(turn, told)
        root = self._tracer.start_span("turn", Context(), SpanKind.SERVER, about, start_time=at(0))
        if self._with_texts:
            root.set_attribute("prelude.question", turn.question)
        inside = set_span_in_context(root, Context())
        called = self._call(turn, told, inside, at)
        for span in told.spans:
            parent = called if span.name in MODEL_STAGES and called is not None else inside
            stage = self._tracer.start_span(span.name, parent, start_time=at(span.start))
            stage.end(at(span.start + span.ms))
        if told.outcome not in ("finished", "stopped"):
            root.set_attribute("error.type", told.outcome)
            root.set_status(Status(StatusCode.ERROR))
        root.end(at(told.ms("total")))

    def _call(self, turn: Turn, told: Record, inside: Context, at: "Clock") -> Context | None:
        """The span of the model's call, ended, as the context of its stages; None when it was not called."""
        stages = [span for span in told.spans if span.name in MODEL_STAGES]
        if not stages:
            return None
        self._ids.span = int(turn.id[16:], 16)
        call = self._tracer.start_span(
            f"chat {told.model}", inside, SpanKind.CLIENT, _about_call(told),
            start_time=at(min(span.start for span in stages)),
        )  # fmt: skip
        call.end(at(max(span.start + span.ms for span in stages)))
        return set_span_in_context(call, Context())

    @contextmanager
    def job(self, name: str, payload: Mapping[str, Any]) -> Iterator[None]:
        """A job that follows from a turn belongs to the turn's trace."""
        turn = str(payload.get("turn", ""))
        context = Context()
        if turn:
            ids = SpanContext(int(turn, 16), int(turn[:16], 16), is_remote=True, trace_flags=TraceFlags(1))
            context = set_span_in_context(NonRecordingSpan(ids), context)
        with self._tracer.start_as_current_span(
            f"job {name}", context, SpanKind.CONSUMER, record_exception=False, set_status_on_exception=True
        ):
            yield

    @contextmanager
    def chat(self, model: str) -> Iterator[None]:
        about = {gen_ai.GEN_AI_OPERATION_NAME: "chat", gen_ai.GEN_AI_PROVIDER_NAME: "openai",
                 gen_ai.GEN_AI_REQUEST_MODEL: model}  # fmt: skip
        with self._tracer.start_as_current_span(
            f"chat {model}", kind=SpanKind.CLIENT, attributes=about, record_exception=False
        ):
            yield

    def close(self) -> None:
        self._provider.force_flush(FLUSH_MS)
        self._meters.force_flush(FLUSH_MS)

    def _observe(self, name: str, seconds: float, labels: Mapping[str, str]) -> None:
        """The same figure as Prometheus gets; labels keep OpenTelemetry's dots."""
        if name not in self._histograms:
            self._histograms[name] = self._meter.create_histogram(name, "s")
        dotted = {_DOTTED.get(key, key): value for key, value in labels.items()}
        self._histograms[name].record(seconds, dotted)


class Clock:
    """Milliseconds since a question arrived, as nanoseconds since the epoch."""

    def __init__(self, created: float) -> None:
        self._origin = int(created * 1e9)

    def __call__(self, ms: float) -> int:
        return self._origin + int(ms * 1e6)


def _about(turn: Turn, told: Record) -> dict[str, Any]:
    known = {
        gen_ai.GEN_AI_CONVERSATION_ID: turn.conversation,
        "prelude.turn": turn.id,
        "prelude.route": told.route,
        "prelude.outcome": told.outcome,
        "prelude.cached": told.cached,
        "prelude.prompt.prefix": told.prefix,
    }
    return known | {f"prelude.prompt.{part}": tokens for part, tokens in told.prompt.items()}


def _about_call(told: Record) -> dict[str, Any]:
    known: dict[str, Any] = {
        gen_ai.GEN_AI_OPERATION_NAME: "chat",
        gen_ai.GEN_AI_PROVIDER_NAME: "openai",
        gen_ai.GEN_AI_REQUEST_MODEL: told.model,
        gen_ai.GEN_AI_REQUEST_STREAM: True,
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: told.usage.prompt_tokens,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: told.usage.completion_tokens,
        gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: told.usage.cached_tokens,
    }
    if "upstream_ttft" in told.timings:
        known[gen_ai.GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK] = told.ms("upstream_ttft") / 1_000
    return known


# Prometheus has no dots in its names.
_DOTTED = {
    "gen_ai_operation_name": gen_ai.GEN_AI_OPERATION_NAME,
    "gen_ai_provider_name": gen_ai.GEN_AI_PROVIDER_NAME,
    "gen_ai_request_model": gen_ai.GEN_AI_REQUEST_MODEL,
}
