"""Records from events, without secrets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from jackfield.api.events import Event
from jackfield.api.records import replace
from jackfield.api.telemetry import ExecutionEnded, ExecutionStarted, ProxiedRequest, RunEnded, TelemetryRecord
from jackfield.api.tracing import PARENT, Span, TraceContext, Tracer
from jackfield.api.usage import Tokens

if TYPE_CHECKING:
    from jackfield.api.jsontext import Json

OPEN = 10_000
"""Executions whose start is remembered; the oldest is forgotten first."""
TOPICS: Mapping[type, str] = {ExecutionStarted: "workflows", ExecutionEnded: "workflows", ProxiedRequest: "proxy"}
"""The events that records are made from."""

NAMED: Mapping[type, tuple[str, ...]] = {
    RunEnded: ("profile", "agent", "provider", "model"),
    ExecutionStarted: ("workflow_name",),
    ExecutionEnded: ("workflow_name",),
    ProxiedRequest: ("profile", "provider", "model", "asked_model", "error"),
}
"""Fields whose text others have written."""


class EventRecords:
    """Remembers when executions have started. tracer: for the spans that clients of proxies name."""

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer
        self._started: OrderedDict[str, int] = OrderedDict()

    def of(self, event: Event) -> TelemetryRecord | None:
        """None: the event is about something else."""
        data = event.data
        if event.type == "execution.started":
            self._started.setdefault(str(data["id"]), event.time)
            if len(self._started) > OPEN:
                self._started.popitem(last=False)
            return ExecutionStarted(*_named(data), event.time)
        if event.type == "execution.finished":
            started = self._started.pop(str(data["id"]), None)
            return ExecutionEnded(*_named(data), str(data["status"]), started, event.time)
        if event.type != "proxy_request":
            return None
        named = event.data.get(PARENT)
        if self._tracer is None or not isinstance(named, str):
            return _request(event, None)
        return _request(event, self._tracer.caller({PARENT: named}))


def _named(data: Mapping[str, object]) -> tuple[str, str, str, str]:
    """An execution's id, its workflow's id and name, its mode."""
    return str(data["id"]), str(data["workflowId"] or ""), str(data["workflowName"] or ""), str(data["mode"])


def _request(event: Event, trace: TraceContext | None) -> ProxiedRequest:
    """From what `GET /api/proxy/{alias}/requests` says of it."""
    data = cast("Mapping[str, Json]", event.data)
    usage, cost, first = data["usage"], data["cost_usd"], data["first_byte_ms"]
    return ProxiedRequest(
        request_id=str(data["id"]),
        profile=str(data["profile"]),
        provider=str(data["provider"]),
        model=str(data["model"]),
        asked_model=str(data["asked_model"]),
        status=_number(data["status"]),
        ended_ms=event.time,
        duration_ms=_number(data["duration_ms"]),
        first_byte_ms=None if first is None else _number(first),
        attempts=_number(data["attempts"]),
        tokens=_tokens(usage) if isinstance(usage, dict) else None,
        cost=cost if isinstance(cost, float) else None,
        error=None if data["error"] is None else str(data["error"]),
        stream=bool(data.get("stream")),
        key=str(data.get("key") or ""),
        trace=trace,
    )


def _tokens(usage: Mapping[str, Json]) -> Tokens:
    names = ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")
    return Tokens(*(_number(usage.get(name)) for name in names))


def _number(value: Json) -> int:
    return int(value) if isinstance(value, (int, float)) else 0


def without_secrets(record: TelemetryRecord, hide: Callable[[str], str]) -> TelemetryRecord:
    """Names come from users, who may have put anything into them; ids and the like are ours."""
    if isinstance(record, Span):
        return _hidden_in_span(record, hide)
    texts = {name: value for name in NAMED[type(record)] if isinstance(value := getattr(record, name), str)}
    together = "\n".join(texts.values())
    if hide(together) == together:
        return record
    return replace(record, **{name: hide(value) for name, value in texts.items()})


def _hidden_in_span(span: Span, hide: Callable[[str], str]) -> Span:
    """Names of workflows and nodes are attributes."""
    texts = [value for value in span.attributes.values() if isinstance(value, str)]
    together = "\n".join([span.name, *texts])
    if hide(together) == together:
        return span
    shown = {name: hide(value) if isinstance(value, str) else value for name, value in span.attributes.items()}
    return replace(span, name=hide(span.name), attributes=shown)
