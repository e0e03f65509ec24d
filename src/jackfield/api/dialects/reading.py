"""The parts that all stream readers share: the framing, the JSON, an answer that is no stream, and the early end."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .fields import loads, obj
from .model import (
    Block,
    BlockStart,
    BlockStop,
    Delta,
    DialectError,
    Event,
    Failed,
    ModelResponse,
    Object,
    TokenCounts,
    UsageUpdate,
)
from .sse import EventTooLarge, SseParser
from .whole import events_of

MAX_WHOLE = 64 * 1024 * 1024  # bytes of a JSON answer in place of a stream


class SseReader(ABC):
    """Subclasses take one event at a time and append to `out`."""

    def __init__(self) -> None:
        self.usage = TokenCounts()
        self.tier: str | None = None
        self.finished = False
        self._parser = SseParser()
        self._begun = False
        self._whole: list[bytes] | None = None  # the parts of a JSON answer
        self._size = 0
        self._next_index = 0

    # ------------------------------------------------------------------------------------------------ the interface

    def feed(self, data: bytes) -> list[Event]:
        out: list[Event] = []
        if self.finished:
            return out
        try:
            if not self._begun:
                self._sniff(data)
            if self._whole is not None:
                self._gather(data)
            else:
                self._take_all(self._parser.feed(data), out)
        except EventTooLarge:
            self._fail(DialectError(502, "The provider sent an event that is larger than the proxy takes."), out)
        except DialectError as exc:
            self._fail(exc, out)
        return out

    def close(self) -> list[Event]:
        out: list[Event] = []
        if self.finished:
            return out
        try:
            if self._whole is not None:
                self._take_whole(b"".join(self._whole), out)
            else:
                self._take_all(self._parser.close(), out)
                if not self.finished:
                    self._ended(out)
        except EventTooLarge:
            self._fail(DialectError(502, "The provider sent an event that is larger than the proxy takes."), out)
        except DialectError as exc:
            self._fail(exc, out)
        self.finished = True
        return out

    # ---------------------------------------------------------------------------------------------------- the steps

    @abstractmethod
    def _take(self, name: str, data: Object, out: list[Event]) -> None:
        """One event. Raises `DialectError` for one that reports a failure."""

    @abstractmethod
    def _ended(self, out: list[Event]) -> None:
        """The stream ended without its closing mark."""

    @abstractmethod
    def _parse(self, body: bytes) -> ModelResponse:
        """An answer that is no stream."""

    # ---------------------------------------------------------------------------------------------------- for blocks

    def _open(self, block: Block, out: list[Event]) -> int:
        index = self._next_index
        self._next_index += 1
        out.append(BlockStart(index, block))
        return index

    def _put(self, block: Block, text: str, out: list[Event]) -> None:
        """A block that arrived whole."""
        index = self._open(block, out)
        if text:
            out.append(Delta(index, text))
        out.append(BlockStop(index))

    def _count(self, usage: TokenCounts, out: list[Event]) -> None:
        if usage != self.usage:
            self.usage = usage
            out.append(UsageUpdate(usage))

    # ------------------------------------------------------------------------------------------------------- framing

    def _sniff(self, data: bytes) -> None:
        start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if start:
            self._begun = True
            if start in b"{[":
                self._whole = []

    def _gather(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > MAX_WHOLE:
            raise DialectError(502, "The provider's answer is larger than the proxy takes.")
        if self._whole is not None:
            self._whole.append(data)

    def _take_all(self, events: list[tuple[str, bytes]], out: list[Event]) -> None:
        for name, data in events:
            if self.finished:
                return
            if data.strip() == b"[DONE]":
                self._done(out)
            elif data and not data.isspace():
                self._take(name, self._decoded(data), out)

    def _done(self, out: list[Event]) -> None:
        """[DONE]. Only Chat has it; gateways of other dialects send it too, where it says nothing."""
        return

    def _decoded(self, data: bytes) -> Object:
        try:
            return obj(loads(data))
        except ValueError:
            raise DialectError(502, "The provider sent an event that is not JSON.") from None

    def _take_whole(self, body: bytes, out: list[Event]) -> None:
        response = self._parse(body)
        self.usage, self.tier = response.usage, response.tier
        out += events_of(response)

    def _fail(self, error: DialectError, out: list[Event]) -> None:
        self.finished = True
        out.append(Failed(error))


def cut_off() -> DialectError:
    return DialectError(502, "The provider's stream ended before the answer did.")


def no_answer() -> DialectError:
    return DialectError(502, "The provider's answer is not of the form that its dialect has.")
