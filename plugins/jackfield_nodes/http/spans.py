"""Spans of requests, and the headers that pass their trace on. Names of attributes are those of OpenTelemetry's
conventions for clients of HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property

from jackfield.api.context import PluginContext
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import HttpCall
from jackfield.api.records import replace
from jackfield.api.tracing import (
    PARENT,
    STATE,
    Attribute,
    OpenSpan,
    Span,
    TraceContext,
    Tracer,
    active_tracer,
    below,
    trace_pairs,
)
from jackfield_nodes.http.call import Reply

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY"})
_OTHER = "_OTHER"
BAD = 400
"""The lowest status of a failure."""


class RequestSpans:
    """Of all requests of a daemon's nodes that belong to a trace."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def _tracer(self) -> Tracer | None:
        return active_tracer(self._context)

    async def sent(self, call: HttpCall, above: TraceContext, send: Callable[[HttpCall], Awaitable[Reply]]) -> Reply:
        """The answer of `send`, which gets the call with the headers of its span. A `traceparent` that the call has is
        its sender's."""
        tracer = self._tracer
        if tracer is None:
            return await send(call)
        span = below(above)
        names = {name.lower() for name, _ in call.headers}
        if tracer.passes_on and PARENT not in names:
            call = replace(
                call, headers=[*(pair for pair in call.headers if pair[0].lower() != STATE), *trace_pairs(span.own)]
            )
        if not above.sampled:
            return await send(call)
        begun = tracer.now_ns()
        try:
            reply = await send(call)
        except BaseException as exc:
            tracer.end(_span(span, call, (begun, tracer.now_ns()), {}, type(exc).__name__))
            raise
        status = reply.status
        failed = str(status) if status >= BAD else ""
        tracer.end(_span(span, call, (begun, tracer.now_ns()), {"http.response.status_code": status}, failed))
        return reply


def _span(span: OpenSpan, call: HttpCall, times: tuple[int, int], more: dict[str, Attribute], error: str) -> Span:
    """Neither path nor query: they may hold secrets and items."""
    method = call.method.strip().upper()
    shown = method if method in _METHODS else _OTHER
    attributes: dict[str, Attribute] = {"http.request.method": shown, **more}
    try:
        address = HttpAddress.of(call.url)
        attributes |= {"server.address": address.unicode_host, "server.port": address.connected_port or 0}
    except ValueError:
        pass
    if error:
        attributes["error.type"] = error
    name = shown if shown != _OTHER else "HTTP"
    return Span(span.own, name, *times, span.parent, "client", attributes, error)
