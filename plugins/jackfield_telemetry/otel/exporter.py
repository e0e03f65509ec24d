"""Spans and metrics of the OpenTelemetry library. Importing this needs the extra `otel`.

Names of attributes are those of the conventions for generative AI (`gen_ai.*`), where there are some.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import TypeAlias

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from jackfield.api.records import replace
from jackfield.api.telemetry import ExecutionEnded, ProxiedRequest, RunEnded, RunUsage, Span, TelemetryRecord, Tokens
from jackfield.api.tracing import Attribute, OpenSpan, TraceContext, below, new_span_id, new_trace_id
from jackfield.api.tracing import SpanKind as SpanKindName
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.tracing.sampling import sampled_by_ratio

Attributes: TypeAlias = dict[str, Attribute]
_KINDS = {"internal": SpanKind.INTERNAL, "server": SpanKind.SERVER, "client": SpanKind.CLIENT}
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


class ExportFailed(Exception):
    """The collector did not take the spans."""


class OtelExporter:
    """Spans and metrics, nothing of it global. Spans go when they are given; threads of the library export metrics."""

    def __init__(self, settings: TelemetrySettings, version: str) -> None:
        base, timeout = settings.otlp_endpoint.rstrip("/"), settings.otlp_timeout
        headers = dict(settings.otlp_headers) or None
        resource = Resource.create({"service.name": "jackfield", "service.version": version})
        self._spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces", headers=headers, timeout=timeout)
        self._resource = resource
        self._ratio = settings.trace_ratio
        self._scope = InstrumentationScope("jackfield", version)
        sums = OTLPMetricExporter(endpoint=f"{base}/v1/metrics", headers=headers, timeout=timeout)
        reader = PeriodicExportingMetricReader(sums, settings.otlp_interval * 1000, timeout * 1000)
        self._meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        meter = self._meters.get_meter("jackfield", version)
        self._runs = meter.create_counter("jackfield.runs", "{run}", "Runs of agents that have ended")
        self._tokens = meter.create_counter("jackfield.usage.tokens", "{token}", "Tokens that runs have used")
        self._cost = meter.create_counter("jackfield.usage.cost", "USD", "What runs have cost, where prices are known")
        self._run_time = meter.create_histogram("jackfield.run.duration", "s", "Duration of runs")
        self._requests = ModelCalls(meter)
        self._executions = meter.create_counter("jackfield.executions", "{execution}", "Ended workflow executions")
        self._execution_time = meter.create_histogram("jackfield.execution.duration", "s", "Duration of executions")

    def export(self, batch: Sequence[TelemetryRecord]) -> None:
        """Count all of it, and send the spans. Blocks, for `telemetry.otlp_timeout` at most. Raises `ExportFailed`."""
        spans: list[ReadableSpan] = []
        for record in batch:
            if isinstance(record, Span):
                spans.append(self._made(record))
            elif isinstance(record, RunEnded):
                spans += self._traced(self._run(record))
            elif isinstance(record, ProxiedRequest):
                spans += self._traced(self._request(record))
            elif isinstance(record, ExecutionEnded):
                self._execution(record)
        if spans and self._spans.export(spans) is not SpanExportResult.SUCCESS:
            raise ExportFailed(f"The collector at telemetry.otlp_endpoint did not take {len(spans)} spans.")

    def _traced(self, span: Span) -> Sequence[ReadableSpan]:
        return [self._made(span)] if span.context.sampled else []

    def _run(self, ended: RunEnded) -> Span:
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
        result = {**of, "jackfield.run.kind": ended.kind}
        self._runs.add(1, {**result, "process.exit.code": ended.exit_code})
        self._run_time.record(max(0, ended.ended_ms - ended.started_ms) / 1000, result)
        if usage is not None:
            for kind, number in _kinds(usage.tokens).items():
                self._tokens.add(number, {**of, "gen_ai.token.type": kind})
            self._cost.add(usage.cost.total, of)
        return _span(
            f"invoke_agent {ended.profile}",
            ended.span or self._begun(),
            {**of, **more, **(_usage(usage) if usage else {})},
            (ended.started_ms, ended.ended_ms),
            str(ended.exit_code) if ended.exit_code else "",
        )

    def _execution(self, ended: ExecutionEnded) -> None:
        of = _attributes(
            {
                "jackfield.workflow.id": ended.workflow_id,
                "jackfield.workflow.name": ended.workflow_name,
                "jackfield.execution.mode": ended.mode,
                "jackfield.execution.status": ended.status,
            }
        )
        started_ms = ended.ended_ms if ended.started_ms is None else ended.started_ms
        self._executions.add(1, of)
        self._execution_time.record(max(0, ended.ended_ms - started_ms) / 1000, of)

    def _request(self, served: ProxiedRequest) -> Span:
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
        failed = str(served.status) if served.status >= BAD else "broken_off" if served.error else ""
        self._requests.add(served, {**of, "jackfield.profile": served.profile})
        span = self._begun() if served.trace is None else below(served.trace)
        return _span(
            f"chat {served.model}", span, {**of, **more, **usage}, (started_ms, served.ended_ms), failed, "client"
        )

    def close(self, timeout: float) -> None:
        """Send the waiting records.

        Blocks, no longer than that many seconds: threads that go on do not keep a process alive.
        """
        works = (self._meters.shutdown, self._spans.shutdown)
        threads = [Thread(target=work, name="jackfield-otel-close", daemon=True) for work in works]
        for thread in threads:
            thread.start()
        end = time.monotonic() + timeout
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _begun(self) -> OpenSpan:
        """Of what belongs to no execution."""
        trace_id = new_trace_id()
        return OpenSpan(TraceContext(trace_id, new_span_id(), sampled_by_ratio(trace_id, self._ratio)))

    def _made(self, span: Span) -> ReadableSpan:
        parent = None if not span.parent else _named(replace(span.context, span_id=span.parent), remote=True)
        return ReadableSpan(
            span.name,
            context=_named(span.context, remote=False),
            parent=parent,
            resource=self._resource,
            attributes=span.attributes,
            kind=_KINDS[span.kind],
            instrumentation_scope=self._scope,
            status=Status(StatusCode.ERROR) if span.error else Status(),
            start_time=span.start_ns,
            end_time=span.end_ns,
        )


def _named(context: TraceContext, *, remote: bool) -> SpanContext:
    return SpanContext(
        int(context.trace_id, 16),
        int(context.span_id, 16),
        remote,
        TraceFlags(TraceFlags.SAMPLED if context.sampled else TraceFlags.DEFAULT),
        TraceState.from_header([context.state]) if context.state else None,
    )


def _span(
    name: str, span: OpenSpan, found: Attributes, times: tuple[int, int], error: str, kind: SpanKindName = "internal"
) -> Span:
    """times: Unix ms."""
    return Span(span.own, name, times[0] * _NS, max(times) * _NS, span.parent, kind, found, error)


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
