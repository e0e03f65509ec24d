"""Traces: which span the current work belongs to, and the headers that carry spans in and out.

Source: W3C Trace Context, https://www.w3.org/TR/trace-context/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import field
from os import urandom
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from .records import record

if TYPE_CHECKING:
    from .context import PluginContext

PARENT, STATE = "traceparent", "tracestate"
"""Names of headers; in upper case, of environment variables."""
SpanKind: TypeAlias = Literal["internal", "server", "client"]
Attribute: TypeAlias = str | int | float | bool

_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_MEMBER = re.compile(
    r"(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})"
    r"=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
)
_MEMBERS, _STATE_LENGTH = 32, 4096
"""More members, or characters, than that are no state."""
_INVALID_VERSION, _VERSION = "ff", "00"
_SAMPLED = 1


@record
class TraceContext:
    """A span as others name it. sampled: whether it is recorded; state: of vendors, as it came."""

    trace_id: str
    """32 hexadecimal digits."""
    span_id: str
    """16 hexadecimal digits."""
    sampled: bool = False
    state: str = ""

    @property
    def traceparent(self) -> str:
        """The header's value."""
        return f"{_VERSION}-{self.trace_id}-{self.span_id}-{int(self.sampled):02x}"


@record
class OpenSpan:
    """A span that has not ended. own: as what is below it names it; parent: id of the span above, empty: none."""

    own: TraceContext
    parent: str = ""


@record
class Span:
    """An ended span, for telemetry sinks that take it.

    Neither items nor messages of errors are in it. Times: Unix ns. `error`: the kind of the failure, such as an
    exception's name; empty: there is none.
    """

    context: TraceContext
    name: str
    start_ns: int
    end_ns: int
    parent: str = ""
    kind: SpanKind = "internal"
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    error: str = ""


class Tracer(Protocol):
    """The port of traces; `active_tracer` finds it. Methods never wait and never raise."""

    @property
    def on(self) -> bool:
        """Whether anybody takes spans. Neither this nor `passes_on` changes while the daemon runs."""

    @property
    def passes_on(self) -> bool:
        """Whether requests of nodes and agents name their span to whom they go."""

    def now_ns(self) -> int:
        """Unix ns, for all spans of this daemon."""

    def caller(self, headers: Mapping[str, str]) -> TraceContext | None:
        """The span that a caller has named, by the settings. headers: lower-case names."""

    def begin(self, above: TraceContext | None) -> OpenSpan:
        """A new span below another one, sampled as that is; else of a new trace, sampled by the settings."""

    def end(self, span: Span) -> None:
        """Hand it over. One that is not sampled goes nowhere."""


def active_tracer(context: PluginContext) -> Tracer | None:
    """None: nobody takes spans."""
    tracer = context.find_port(Tracer)
    return tracer if tracer is not None and tracer.on else None


def named_span(context: PluginContext, headers: Iterable[tuple[bytes, bytes]]) -> TraceContext | None:
    """The span that the caller of an HTTP request names, by the settings; None: none, or nobody takes spans. headers:
    as ASGI has them."""
    tracer = active_tracer(context)
    if tracer is None:
        return None
    found: dict[str, str] = {}
    for raw, value in headers:
        if (name := raw.decode("latin-1")) in (PARENT, STATE):  # RFC 9110 section 5.3: repeated ones are one list
            found[name] = f"{found[name]},{value.decode('latin-1')}" if name in found else value.decode("latin-1")
    return tracer.caller(found)


def trace_context(traceparent: str, tracestate: str = "") -> TraceContext | None:
    """The context that the two headers give; None where the first is not valid.

    A state that is not valid is left out alone.
    """
    found = _PARENT.fullmatch(traceparent.strip(" \t"))
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    unknown = version == _INVALID_VERSION or (version == _VERSION and more is not None)
    if unknown or not int(trace_id, 16) or not int(span_id, 16):
        return None
    return TraceContext(trace_id, span_id, bool(int(flags, 16) & _SAMPLED), _state(tracestate))


def _state(text: str) -> str:
    members = [one.strip(" \t") for one in text.split(",")]
    members = [one for one in members if one]
    keys = {one.partition("=")[0] for one in members}
    good = len(text) <= _STATE_LENGTH and len(keys) == len(members) <= _MEMBERS
    return ",".join(members) if good and all(_MEMBER.fullmatch(one) for one in members) else ""


def below(above: TraceContext) -> OpenSpan:
    """A new span of the same trace."""
    return OpenSpan(TraceContext(above.trace_id, new_span_id(), above.sampled, above.state), above.span_id)


def new_trace_id() -> str:
    return urandom(16).hex()


def new_span_id() -> str:
    return urandom(8).hex()


def trace_pairs(context: TraceContext) -> Sequence[tuple[str, str]]:
    """The headers that pass it on."""
    parent = (PARENT, context.traceparent)
    return (parent, (STATE, context.state)) if context.state else (parent,)


_present: ContextVar[TraceContext | None] = ContextVar("jackfield_trace", default=None)


def present_trace() -> TraceContext | None:
    """The span that the current task works in; None: none, or nothing is traced."""
    return _present.get()


def set_present_trace(context: TraceContext | None) -> None:
    """For the current task, and those that it makes from now on."""
    _present.set(context)
