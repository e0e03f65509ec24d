"""The common part of senders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_log_streams.book import LogStream
from jackfield_log_streams.messages import StreamMessage


class SendFailed(Exception):
    """The receiver did not take the batch; `str`: why, without a secret."""


class Sender(Protocol):
    """Of one stream."""

    async def send(self, messages: Sequence[StreamMessage]) -> None:
        """All, in their order. Raises `SendFailed`; then some of them may have come."""

    async def close(self) -> None: ...


_PLACES = {
    "syslog": "jackfield_log_streams.senders.syslog:SyslogSender",
    "http": "jackfield_log_streams.senders.webhook:WebhookSender",
    "otlp": "jackfield_log_streams.senders.otlp:OtlpSender",
}


def sender_of(context: PluginContext, stream: LogStream, timeout: float) -> Sender:
    """Imports the libraries that it needs. timeout: seconds of a batch. Raises `SendFailed`."""
    made = cast("Callable[[PluginContext, LogStream, float], Sender]", load(_PLACES[stream.kind]))
    return made(context, stream, timeout)
