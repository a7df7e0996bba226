"""An OpenTelemetry collector: takes OTLP over HTTP on a real socket, and keeps what it was told."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

FORMS: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
}


@dataclass(frozen=True)
class Seen:
    """A span and whose it is."""

    service: str
    instance: str
    span: Span

    @property
    def about(self) -> dict[str, Any]:
        return _plain(self.span.attributes)


@dataclass
class Collector:
    address: str = ""
    raw: list[bytes] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)

    def trace(self, turn: str) -> dict[str, Seen]:
        """A turn's spans by their names; those that occur on both sides have their service's before it."""
        found: dict[str, Seen] = {}
        for message in list(self.told):
            for resource in getattr(message, "resource_spans", ()):
                whose = _plain(resource.resource.attributes)
                service = str(whose["service.name"]).removeprefix("prelude-")
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        if span.trace_id.hex() == turn:
                            name = f"{service} {span.name}"
                            assert name not in found, f"twice: {name}"
                            found[name] = Seen(service, str(whose["service.instance.id"]), span)
        return found

    def metrics(self) -> dict[str, Metric]:
        """The last word on each metric."""
        return {
            metric.name: metric
            for message in list(self.told)
            for resource in getattr(message, "resource_metrics", ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers["content-encoding"] == "gzip":
                body = gzip.decompress(body)
            told = FORMS[self.path]()
            told.ParseFromString(body)
            collector.raw.append(body)
            collector.told.append(told)
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Not on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    collector.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _plain(attributes: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in attributes if isinstance(pair, KeyValue)}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None
