"""Spans and metrics of the OpenTelemetry library. Importing this needs the extra `otel`.

Names of attributes are those of the conventions for generative AI (`gen_ai.*`), where there are some.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Thread
from typing import TypeAlias

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

from jackfield.api.telemetry import ExecutionEnded, ProxiedRequest, RunEnded, RunUsage, Tokens
from jackfield_telemetry.settings import TelemetrySettings

Attributes: TypeAlias = dict[str, str | int | float]
SPANS = 2048
"""That may wait for their export; what comes beyond is dropped."""
SPAN_DELAY_MS = 2000
_NS = 1_000_000
BAD = 400
"""The lowest status of a failure."""
_SECONDS = [0.01 * 2**power for power in range(14)]
_TOKENS = [4**power for power in range(14)]


class ModelCalls:
    """The conventions' metrics of a client of models, with the bounds of buckets that they give."""

    def __init__(self, meter: Meter) -> None:
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration", "s", "Duration of calls of models",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )  # fmt: skip
        self._first = meter.create_histogram(
            "gen_ai.client.operation.time_to_first_chunk", "s", "Time to the first content of streamed answers",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )  # fmt: skip
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", "Tokens of calls of models",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )  # fmt: skip

    def add(self, served: ProxiedRequest, of: Attributes) -> None:
        self._duration.record(served.duration_ms / 1000, of)
        if served.stream and served.first_byte_ms is not None:
            self._first.record(served.first_byte_ms / 1000, of)
        if (tokens := served.tokens) is not None:
            self._tokens.record(tokens.total - tokens.output, {**of, "gen_ai.token.type": "input"})
            self._tokens.record(tokens.output, {**of, "gen_ai.token.type": "output"})


class OtelExporter:
    """Both providers, none of them global. Methods only hand over; threads of the library export."""

    def __init__(self, settings: TelemetrySettings, version: str) -> None:
        base, timeout = settings.otlp_endpoint.rstrip("/"), settings.otlp_timeout
        headers = dict(settings.otlp_headers) or None
        resource = Resource.create({"service.name": "jackfield", "service.version": version})
        spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces", headers=headers, timeout=timeout)
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._traces.add_span_processor(
            BatchSpanProcessor(spans, max_queue_size=SPANS, schedule_delay_millis=SPAN_DELAY_MS)
        )
        sums = OTLPMetricExporter(endpoint=f"{base}/v1/metrics", headers=headers, timeout=timeout)
        reader = PeriodicExportingMetricReader(sums, settings.otlp_interval * 1000, timeout * 1000)
        self._meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("jackfield", version)
        meter = self._meters.get_meter("jackfield", version)
        self._runs = meter.create_counter("jackfield.runs", "{run}", "Runs of agents that have ended")
        self._tokens = meter.create_counter("jackfield.usage.tokens", "{token}", "Tokens that runs have used")
        self._cost = meter.create_counter("jackfield.usage.cost", "USD", "What runs have cost, where prices are known")
        self._run_time = meter.create_histogram("jackfield.run.duration", "s", "Duration of runs")
        self._requests = ModelCalls(meter)
        self._executions = meter.create_counter("jackfield.executions", "{execution}", "Ended workflow executions")
        self._execution_time = meter.create_histogram("jackfield.execution.duration", "s", "Duration of executions")

    def run(self, ended: RunEnded) -> None:
        usage = ended.usage
        of = _attributes(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.id": ended.agent,
                "gen_ai.agent.name": ended.profile,
                "gen_ai.provider.name": ended.provider,
                "gen_ai.request.model": ended.model,
            }
        )
        more: Attributes = {
            "jackfield.run.id": ended.run_id,
            "jackfield.run.kind": ended.kind,
            "process.exit.code": ended.exit_code,
        }
        self._span(
            f"invoke_agent {ended.profile}",
            {**of, **more, **(_usage(usage) if usage else {})},
            (ended.started_ms, ended.ended_ms),
            f"the agent ended with {ended.exit_code}" if ended.exit_code else None,
        )
        result = {**of, "jackfield.run.kind": ended.kind}
        self._runs.add(1, {**result, "process.exit.code": ended.exit_code})
        self._run_time.record(max(0, ended.ended_ms - ended.started_ms) / 1000, result)
        if usage is not None:
            for kind, number in _kinds(usage.tokens).items():
                self._tokens.add(number, {**of, "gen_ai.token.type": kind})
            self._cost.add(usage.cost.total, of)

    def execution(self, ended: ExecutionEnded) -> None:
        of = _attributes(
            {
                "jackfield.workflow.id": ended.workflow_id,
                "jackfield.workflow.name": ended.workflow_name,
                "jackfield.execution.mode": ended.mode,
                "jackfield.execution.status": ended.status,
            }
        )
        failed = None if ended.status == "success" else ended.status
        named = {**of, "jackfield.execution.id": ended.execution_id}
        started_ms = ended.ended_ms if ended.started_ms is None else ended.started_ms
        self._span(f"workflow {ended.workflow_name}", named, (started_ms, ended.ended_ms), failed)
        self._executions.add(1, of)
        self._execution_time.record(max(0, ended.ended_ms - started_ms) / 1000, of)

    def request(self, served: ProxiedRequest) -> None:
        """A call of a model, of which a proxy was the client."""
        of = _attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": served.provider,
                "gen_ai.request.model": served.model,
                "error.type": str(served.status) if served.status >= BAD else "",
            }
        )
        more = _attributes(
            {
                "http.response.status_code": served.status,
                "jackfield.request.id": served.request_id,
                "jackfield.request.model": served.asked_model,
                "jackfield.profile": served.profile,
                "jackfield.key.id": served.key,
                "jackfield.attempts": served.attempts,
                "jackfield.cost.usd": served.cost,
            }
        )
        usage = _usage_of(served.tokens) if served.tokens is not None else {}
        started_ms = served.ended_ms - served.duration_ms
        failed = (served.error or f"status {served.status}") if served.status >= BAD else served.error
        self._span(
            f"chat {served.model}", {**of, **more, **usage}, (started_ms, served.ended_ms), failed, SpanKind.CLIENT
        )
        self._requests.add(served, {**of, "jackfield.profile": served.profile})

    def close(self, timeout: float) -> None:
        """Send what waits. Blocks, no longer than so many seconds: threads that go on do not keep a process alive."""
        works = (self._meters.shutdown, self._traces.shutdown)
        threads = [Thread(target=work, name="jackfield-otel-close", daemon=True) for work in works]
        for thread in threads:
            thread.start()
        end = time.monotonic() + timeout
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _span(
        self,
        name: str,
        found: Attributes,
        times: tuple[int, int],
        failed: str | None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        span = self._tracer.start_span(name, kind=kind, attributes=found, start_time=times[0] * _NS)
        if failed is not None:
            span.set_status(Status(StatusCode.ERROR, failed))
        span.end(max(times) * _NS)


def _attributes(found: Mapping[str, object]) -> Attributes:
    """Those that there are."""
    return {name: value for name, value in found.items() if isinstance(value, (str, int, float)) and value != ""}


def _usage(usage: RunUsage) -> Attributes:
    found = _usage_of(usage.tokens) | {"jackfield.cost.usd": usage.cost.total}
    return found | ({"gen_ai.response.model": ", ".join(usage.models)} if usage.models else {})


def _usage_of(tokens: Tokens) -> Attributes:
    """By the conventions the input includes what was cached."""
    return {
        "gen_ai.usage.input_tokens": tokens.input + tokens.cache_creation + tokens.cache_read,
        "gen_ai.usage.output_tokens": tokens.output,
        "gen_ai.usage.cache_creation.input_tokens": tokens.cache_creation,
        "gen_ai.usage.cache_read.input_tokens": tokens.cache_read,
    }


def _kinds(tokens: Tokens) -> dict[str, int]:
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cache_creation": tokens.cache_creation,
        "cache_read": tokens.cache_read,
    }
