"""OTLP: log records as protobuf over HTTP. Needs the extra `otel`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield_log_streams.book import LogStream
from jackfield_log_streams.messages import StreamMessage, content
from jackfield_log_streams.senders.sending import SendFailed
from jackfield_log_streams.senders.webhook import HttpPoster

try:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, SeverityNumber
except ImportError:
    ExportLogsServiceRequest = None  # type: ignore[assignment,misc]  # the extra is not installed

MISSING = "The OpenTelemetry library is not installed. Install it with: pip install 'jackfield[otel]'"
_NS = 1_000_000
_PATH = "/v1/logs"


class OtlpSender:
    """`LogRecord`s of one scope."""

    def __init__(self, context: PluginContext, stream: LogStream, timeout: float) -> None:
        if ExportLogsServiceRequest is None:
            raise SendFailed(MISSING)
        self._version = context.service.version
        base = stream.address.rstrip("/")
        self._poster = HttpPoster(base if base.endswith(_PATH) else base + _PATH, stream.headers, timeout)

    async def send(self, messages: Sequence[StreamMessage]) -> None:
        await self._poster.post(request(messages, self._version), {"Content-Type": "application/x-protobuf"})

    async def close(self) -> None:
        """Nothing is open between two batches."""


def request(messages: Sequence[StreamMessage], version: str) -> bytes:
    """An `ExportLogsServiceRequest`."""
    made = ExportLogsServiceRequest()
    resource = made.resource_logs.add()
    resource.resource.attributes.extend([_text("service.name", "jackfield"), _text("service.version", version)])
    scope = resource.scope_logs.add()
    scope.scope.name = "jackfield"
    scope.log_records.extend(_record(message) for message in messages)
    return made.SerializeToString()


def _record(message: StreamMessage) -> LogRecord:
    named = {name: value for name, value in message.body.items() if isinstance(value, str) and value}
    attributes = [_text("event.name", message.event), _text("jackfield.kind", message.kind)]
    attributes += [_text(f"jackfield.{name}", str(value)) for name, value in named.items()]
    if message.number:
        attributes.append(KeyValue(key="jackfield.number", value=AnyValue(int_value=message.number)))
    return LogRecord(
        time_unix_nano=message.at * _NS,
        observed_time_unix_nano=message.at * _NS,
        severity_number=SeverityNumber.SEVERITY_NUMBER_WARN if message.failed else SeverityNumber.SEVERITY_NUMBER_INFO,
        severity_text="WARN" if message.failed else "INFO",
        body=AnyValue(string_value=content(message).decode()),
        attributes=attributes,
        event_name=message.event,
    )


def _text(name: str, value: str) -> KeyValue:
    return KeyValue(key=name, value=AnyValue(string_value=value))
