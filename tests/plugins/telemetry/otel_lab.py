"""An OTLP receiver on the loopback address, which reads with the official messages."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """OTLP over HTTP. delay: seconds before an answer."""

    def __init__(self) -> None:
        self.spans: list[Any] = []  # Any: of the generated modules
        self.metrics: list[Any] = []
        self.keys: set[str | None] = set()
        self.delay = 0.0
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.take(self.path, body, self.headers.get("X-Key"))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def take(self, path: str, body: bytes, key: str | None) -> None:
        self.keys.add(key)
        if self.delay:
            time.sleep(self.delay)
        if path == "/v1/traces":
            request = ExportTraceServiceRequest.FromString(body)
            self.spans += [s for r in request.resource_spans for scope in r.scope_spans for s in scope.spans]
        elif path == "/v1/metrics":
            found = ExportMetricsServiceRequest.FromString(body)
            self.metrics += [m for r in found.resource_metrics for scope in r.scope_metrics for m in scope.metrics]

    def sum_of(self, name: str) -> float:
        points = [point for metric in self.metrics if metric.name == name for point in metric.sum.data_points]
        return sum(point.as_int or point.as_double for point in points)


def values(span: Any) -> dict[str, object]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes}
