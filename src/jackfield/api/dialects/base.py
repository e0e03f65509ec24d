"""The interface of a dialect: synchronous, no I/O, and no state outside readers and writers."""

from __future__ import annotations

from typing import Protocol

from .model import DialectError, DialectName, Event, ModelRequest, ModelResponse, Object, TokenCounts, UpstreamModel

Headers = tuple[tuple[str, str], ...]


class EventReader(Protocol):
    """Bytes of an upstream's stream -> events. Never raises: what is wrong becomes a `Failed` event, the last one."""

    usage: TokenCounts  # what is known so far; right after `close` also for a stream that failed
    tier: str | None  # of the service, as in `ModelResponse`
    finished: bool  # nothing of interest follows: the caller may stop reading

    def feed(self, data: bytes) -> list[Event]:
        """Any cut of the stream; also a whole JSON answer in place of a stream."""

    def close(self) -> list[Event]:
        """The upstream's stream has ended. A stream that ended too early gives `Failed`."""


class EventWriter(Protocol):
    """Events -> bytes of a stream for the client, in the exact grammar of the dialect, however the events are mixed."""

    def write(self, event: Event) -> bytes:
        """The text that this event adds, often nothing. `Failed` ends the stream as `error` does."""

    def close(self) -> bytes:
        """The end of the stream. Nothing the second time, or after an error."""

    def error(self, error: DialectError) -> bytes:
        """The end of a stream that began and cannot go on; a fresh writer's ends one that passed through."""


class DialectCodec(Protocol):
    @property
    def name(self) -> DialectName:
        """The key that `of` finds it by."""

    def parse_request(self, body: bytes) -> ModelRequest:
        """A client's request. Raises `DialectError` 400 that names the field."""

    def parse_object(self, body: Object) -> ModelRequest:
        """The same of a body that was read already (`fields.body_object`); it is not changed."""

    def build_request(self, request: ModelRequest, target: UpstreamModel) -> bytes:
        """The same for an upstream. Raises `DialectError` 400 for what the dialect cannot say."""

    def parse_response(self, body: bytes) -> ModelResponse:
        """An upstream's answer of status 200. Raises `DialectError` 502 if it is none."""

    def build_response(self, response: ModelResponse, asked: ModelRequest) -> bytes:
        """The same for the client. `asked` is its request: model and tools are named as it knows them."""

    def reader(self) -> EventReader:
        """For one upstream stream."""

    def writer(self, asked: ModelRequest) -> EventWriter:
        """For one client stream. `asked` as in `build_response`."""

    def error_body(self, error: DialectError, request_id: str = "") -> tuple[int, bytes, Headers]:
        """Status, body and headers (content-type, retry-after) of an error answer."""

    def parse_error(self, status: int, body: bytes, retry_after: str | None = None) -> DialectError:
        """An upstream's answer of status >= 400. retry_after: that header (seconds or HTTP date).

        The dialect recognizes a context overflow by its wording; its message begins "prompt is too long".
        """
