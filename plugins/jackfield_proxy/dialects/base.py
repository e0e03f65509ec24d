"""The interface of a dialect: synchronous, no I/O, and no state outside readers and writers."""

from __future__ import annotations

from typing import Protocol

from .model import DialectName, Event, ProxyError, Request, Response, Target, Usage

Headers = tuple[tuple[str, str], ...]


class StreamReader(Protocol):
    """Bytes of an upstream's stream -> events. Never raises: what is wrong becomes a `Failed` event, the last one."""

    usage: Usage  # what is known so far; right after `close` also for a stream that failed
    tier: str | None  # of the service, as in `Response`
    finished: bool  # nothing of interest follows: the caller may stop reading

    def feed(self, data: bytes) -> list[Event]:
        """Any cut of the stream; also a whole JSON answer in place of a stream."""

    def close(self) -> list[Event]:
        """The upstream's stream has ended. A stream that ended too early gives `Failed`."""


class StreamWriter(Protocol):
    """Events -> bytes of a stream for the client, in the exact grammar of the dialect, however the events are mixed."""

    def write(self, event: Event) -> bytes:
        """What this event adds, often nothing. `Failed` ends the stream as `error` does."""

    def close(self) -> bytes:
        """The end of the stream. Nothing the second time, or after an error."""

    def error(self, error: ProxyError) -> bytes:
        """The end of a stream that began and cannot go on; a fresh writer's ends one that passed through."""


class Dialect(Protocol):
    @property
    def name(self) -> DialectName:
        """What `of` finds it by."""

    def parse_request(self, body: bytes) -> Request:
        """A client's request. Raises `ProxyError` 400 that names the field."""

    def build_request(self, request: Request, target: Target) -> bytes:
        """The same for an upstream. Raises `ProxyError` 400 for what the dialect cannot say."""

    def parse_response(self, body: bytes) -> Response:
        """An upstream's answer of status 200. Raises `ProxyError` 502 if it is none."""

    def build_response(self, response: Response, asked: Request) -> bytes:
        """The same for the client. `asked` is its request: model and tools are named as it knows them."""

    def reader(self) -> StreamReader:
        """For one upstream stream."""

    def writer(self, asked: Request) -> StreamWriter:
        """For one client stream. `asked` as in `build_response`."""

    def error_body(self, error: ProxyError, request_id: str = "") -> tuple[int, bytes, Headers]:
        """Status, body and headers (content-type, retry-after) of an error answer."""

    def parse_error(self, status: int, body: bytes, retry_after: str | None = None) -> ProxyError:
        """An upstream's answer of status >= 400. retry_after: that header (seconds or HTTP date).

        A context overflow is told apart by its wording; its message begins "prompt is too long".
        """
