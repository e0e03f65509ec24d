"""The parts that all stream writers share: one block open at a time, whatever the upstream interleaves, and one proper
end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .model import (
    Block,
    BlockStart,
    BlockStop,
    Delta,
    DialectError,
    Event,
    Failed,
    MessageStart,
    MessageStop,
    ModelRequest,
    Ping,
    Signature,
    StopReason,
    TokenCounts,
    ToolUse,
    UsageUpdate,
)

MAX_WAITING = 32 * 1024 * 1024  # characters held back of blocks that wait for the open one
BlockEvent = Delta | Signature | BlockStop


class SequentialWriter(ABC):
    """Subclasses say what each step looks like; `self.usage` is the latest."""

    def __init__(self, asked: ModelRequest) -> None:
        self.asked = asked
        self.usage = TokenCounts()
        self._started = self._ended = False
        self._stop: MessageStop | None = None
        self._called = False  # a tool
        self._open: int | None = None
        self._waiting: dict[int, list[BlockStart | BlockEvent]] = {}  # in the order of their starts
        self._held = 0

    # ------------------------------------------------------------------------------------------------ the interface

    def write(self, event: Event) -> bytes:
        if self._ended:
            return b""
        if type(event) is Delta and event.index == self._open:
            return self._delta(event.text) if event.text else b""
        return self._write(event)

    def close(self) -> bytes:
        if self._ended:
            return b""
        written = self._begin(MessageStart()) + self._drain()
        self._ended = True
        stop = self._stop or MessageStop("tool_use" if self._called else "end_turn")
        return written + self._finish(stop.reason, stop.sequence)

    def error(self, error: DialectError) -> bytes:
        if self._ended:
            return b""
        self._ended = True
        return self._fail(error)

    # ---------------------------------------------------------------------------------------------------- the steps

    @abstractmethod
    def _start(self, message_id: str, model: str) -> bytes: ...

    @abstractmethod
    def _block_start(self, block: Block) -> bytes: ...

    @abstractmethod
    def _delta(self, text: str) -> bytes:
        """Never empty."""

    @abstractmethod
    def _signature(self, signature: str) -> bytes: ...

    @abstractmethod
    def _block_stop(self) -> bytes: ...

    @abstractmethod
    def _finish(self, reason: StopReason, sequence: str | None) -> bytes: ...

    @abstractmethod
    def _fail(self, error: DialectError) -> bytes: ...

    @abstractmethod
    def _ping(self) -> bytes: ...

    # -------------------------------------------------------------------------------------------------- the sequence

    def _write(self, event: Event) -> bytes:
        match event:
            case Failed():
                return self.error(event.error)
            case UsageUpdate():
                self.usage = event.usage
                return b""
            case MessageStart():
                return self._begin(event)
            case Ping():
                return self._begin(MessageStart()) + self._ping()
            case MessageStop():
                self._stop = event
                return b""
            case BlockStart():
                return self._begin(MessageStart()) + self._block(event)
            case _:
                return self._of_block(event)

    def _begin(self, start: MessageStart) -> bytes:
        if self._started:
            return b""
        self._started = True
        return self._start(start.id, start.model)

    def _block(self, start: BlockStart) -> bytes:
        if isinstance(start.block, ToolUse):
            self._called = True
        if self._open is not None:
            self._waiting.setdefault(start.index, [start])
            return b""
        self._open = start.index
        return self._block_start(start.block)

    def _of_block(self, event: BlockEvent) -> bytes:
        if event.index == self._open:
            return self._now(event)
        waiting = self._waiting.get(event.index)
        if waiting is None:  # of a block that was never opened, or is closed
            return b""
        waiting.append(event)
        self._held += len(event.text) if type(event) is Delta else 1
        if self._held > MAX_WAITING:
            return self.error(DialectError(502, "The provider interleaves more blocks than the proxy holds back."))
        return b""

    def _now(self, event: BlockEvent) -> bytes:
        match event:
            case Delta():
                return self._delta(event.text) if event.text else b""
            case Signature():
                return self._signature(event.signature)
            case BlockStop():
                return self._stop_open() + self._next()

    def _stop_open(self) -> bytes:
        self._open = None
        return self._block_stop()

    def _next(self) -> bytes:
        """The blocks that waited, up to one that is not complete yet."""
        written: list[bytes] = []
        while self._waiting and self._open is None:
            index = next(iter(self._waiting))
            start, *events = self._waiting.pop(index)
            self._held -= sum(len(event.text) if type(event) is Delta else 1 for event in events)
            if isinstance(start, BlockStart):
                self._open = index
                written.append(self._block_start(start.block))
            written += [self._replayed(event) for event in events if not isinstance(event, BlockStart)]
        return b"".join(written)

    def _replayed(self, event: BlockEvent) -> bytes:
        if self._open is None:
            return b""
        return self._stop_open() if type(event) is BlockStop else self._now(event)

    def _drain(self) -> bytes:
        """Closes what the upstream left open."""
        written: list[bytes] = []
        while self._open is not None:
            written.append(self._stop_open())
            written.append(self._next())
        return b"".join(written)
