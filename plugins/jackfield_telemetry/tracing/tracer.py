"""The port `Tracer`: what is sampled, and how spans come to the telemetry sinks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property

from jackfield.api.context import PluginContext
from jackfield.api.telemetry import TELEMETRY_SINKS
from jackfield.api.tracing import (
    PARENT,
    STATE,
    OpenSpan,
    Span,
    TraceContext,
    below,
    new_span_id,
    new_trace_id,
    trace_context,
)
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.sinks.feed import SinkFeed
from jackfield_telemetry.tracing.sampling import sampled_by_ratio


class SinkTracer:
    """Parent-based: a trace that a caller has begun is sampled as the caller says."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(TelemetrySettings)

    @property
    def passes_on(self) -> bool:
        return self._settings.trace_passed_on

    @cached_property
    def on(self) -> bool:
        return any(Span in sink.takes for sink in self._context.extensions(TELEMETRY_SINKS).values())

    def now_ns(self) -> int:
        return time.time_ns()  # the clock's milliseconds would put a request's end behind that of its node

    def caller(self, headers: Mapping[str, str]) -> TraceContext | None:
        parent = headers.get(PARENT)
        if parent is None or not self._settings.trace_callers:
            return None
        return trace_context(parent, headers.get(STATE, ""))

    def begin(self, above: TraceContext | None) -> OpenSpan:
        if above is not None:
            return below(above)
        trace_id = new_trace_id()
        sampled = sampled_by_ratio(trace_id, self._settings.trace_ratio)
        return OpenSpan(TraceContext(trace_id, new_span_id(), sampled))

    def end(self, span: Span) -> None:
        if span.context.sampled:
            self._context.port(SinkFeed).offer(span)
