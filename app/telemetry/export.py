"""Traces and metrics over OTLP, for whoever has set OTEL_EXPORTER_OTLP_ENDPOINT; every other variable of
OpenTelemetry's SDK (headers, resource attributes, samplers) works as its documentation says.

A turn is one trace, across web and worker and on to the model's server, and its id is the turn's own: so a
log line, a page's address and a trace are found by the same id. All spans of a turn are made after it has
ended, from the figures it carries; nothing is traced while somebody waits.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    format_span_id,
    set_span_in_context,
)

from app.events import Usage
from app.measures import MODEL_STAGES, Record
from app.telemetry import genai
from app.telemetry.context import CALL
from app.telemetry.metrics import BUCKETS, Labels, Metrics
from app.turn import Turn

PARTING_SECONDS = 1.0  # what waits is sent at the end for so long, whatever the collector does


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
        resource = _whose(service)
        self._ids = TurnIds()
        self._with_texts = with_texts
        self._provider = TracerProvider(shutdown_on_exit=False, resource=resource, id_generator=self._ids)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("prelude")
        self._meters = MeterProvider(
            [PeriodicExportingMetricReader(OTLPMetricExporter())],
            resource=resource,
            shutdown_on_exit=False,
            views=[View(instrument_type=Histogram, aggregation=ExplicitBucketHistogramAggregation(BUCKETS))],
        )
        self._meter = self._meters.get_meter("prelude")
        self._instruments: dict[str, Any] = {}
        self._metrics = metrics
        self._meter.create_observable_gauge("prelude.turns.running", [self._running])
        metrics.listener = self

    def turn(self, turn: Turn, told: Record, reason: str) -> None:
        """The turn's span, with one for every stage in it, and one for the call of the model."""
        at = Clock(turn.created)
        self._ids.trace, self._ids.span = int(turn.id, 16), int(turn.id[:16], 16)
        about = genai.about(turn, told)
        root = self._tracer.start_span("turn", Context(), SpanKind.SERVER, about, start_time=at(0))
        if self._with_texts:
            root.set_attribute("prelude.question", turn.question)
        inside = set_span_in_context(root, Context())
        called = self._call(turn, told, reason, inside, at)
        for span in told.spans:
            parent = called if span.name in MODEL_STAGES and called is not None else inside
            stage = self._tracer.start_span(span.name, parent, start_time=at(span.start))
            stage.end(at(span.start + span.ms))
        if told.error:
            root.set_attribute("error.type", told.error)
            root.set_status(Status(StatusCode.ERROR))
        root.end(at(told.ms("total")))

    def _call(self, turn: Turn, told: Record, reason: str, inside: Context, at: "Clock") -> Context | None:
        """The span of the model's call, ended, as the context of its stages; None when it was not called."""
        if told.call is None:
            return None
        self._ids.span = int(turn.id[16:], 16)
        call = self._tracer.start_span(
            f"chat {told.model}", inside, SpanKind.CLIENT, genai.about_call(told, reason),
            start_time=at(told.call.start),
        )  # fmt: skip
        call.end(at(told.call.start + told.call.ms))
        return set_span_in_context(call, Context())

    @contextmanager
    def job(self, name: str, payload: Mapping[str, Any]) -> Iterator[None]:
        """A job that follows from a turn belongs to the turn's trace."""
        context, turn = Context(), str(payload.get("turn", ""))
        if turn:
            flags = TraceFlags(self._is_sampled(turn))
            ids = SpanContext(int(turn, 16), int(turn[:16], 16), is_remote=True, trace_flags=flags)
            context = set_span_in_context(NonRecordingSpan(ids), context)
        with self._tracer.start_as_current_span(
            f"job {name}", context, SpanKind.CONSUMER, {"prelude.job": name},
            record_exception=False, set_status_on_exception=False,
        ) as span, _failing(span):  # fmt: skip
            yield

    @contextmanager
    def chat(self, model: str) -> Iterator[Callable[[Usage], None]]:
        """A call within a job, whose model's server is told whose it is. Gives what takes its usage."""
        with self._tracer.start_as_current_span(
            f"chat {model}", kind=SpanKind.CLIENT, attributes=genai.calling(model),
            record_exception=False, set_status_on_exception=False,
        ) as span:  # fmt: skip
            token = CALL.set(format_span_id(span.get_span_context().span_id))
            try:
                with _failing(span):
                    yield lambda usage: span.set_attributes(genai.used(usage))
            finally:
                CALL.reset(token)

    def close(self) -> None:
        """Sends what waits to be sent, within PARTING_SECONDS; then lets go."""
        parting = [
            threading.Thread(target=part.shutdown, daemon=True) for part in (self._provider, self._meters)
        ]
        for thread in parting:
            thread.start()
        end = time.monotonic() + PARTING_SECONDS
        for thread in parting:
            thread.join(max(0.0, end - time.monotonic()))

    def observed(self, name: str, seconds: float, labels: Labels) -> None:
        if name not in self._instruments:
            self._instruments[name] = self._meter.create_histogram(name, "s")
        self._instruments[name].record(seconds, genai.dotted(labels))

    def counted(self, name: str, by: float, labels: Labels) -> None:
        if name not in self._instruments:
            self._instruments[name] = self._meter.create_counter(name)
        self._instruments[name].add(by, genai.dotted(labels))

    def _is_sampled(self, turn: str) -> bool:
        """What the sampler said of the turn when its own span was made, in another process."""
        said = self._provider.sampler.should_sample(Context(), int(turn, 16), "turn", SpanKind.SERVER)
        return said.decision is Decision.RECORD_AND_SAMPLE

    def _running(self, options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(self._metrics.running_here)]


def _whose(service: str) -> Resource:
    """Each process is an instance of its own, or the figures of two would be taken for one's."""
    name = os.environ.get("OTEL_SERVICE_NAME") or "prelude"
    return Resource.create({"service.name": f"{name}-{service}", "service.instance.id": uuid4().hex})


@contextmanager
def _failing(span: Span) -> Iterator[None]:
    """Of an error only its kind: its message may quote what somebody wrote."""
    try:
        yield
    except BaseException as error:
        span.set_attribute("error.type", type(error).__qualname__)
        span.set_status(Status(StatusCode.ERROR))
        raise


class Clock:
    """Milliseconds since a question arrived, as nanoseconds since the epoch."""

    def __init__(self, created: float) -> None:
        self._origin = int(created * 1e9)

    def __call__(self, ms: float) -> int:
        return self._origin + int(ms * 1e6)
