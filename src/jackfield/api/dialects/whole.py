"""An answer as events, and events as an answer: for a stream that comes whole, or a whole answer that is streamed."""

from __future__ import annotations

from collections.abc import Iterable

from ..records import replace
from .model import (
    Block,
    BlockStart,
    BlockStop,
    Delta,
    Event,
    Failed,
    MessageStart,
    MessageStop,
    ModelResponse,
    Signature,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolUse,
    UsageUpdate,
)


def events_of(response: ModelResponse) -> list[Event]:
    out: list[Event] = [MessageStart(response.id, response.model)]
    for index, block in enumerate(response.content):
        out += _of_block(index, block)
    return [*out, UsageUpdate(response.usage), MessageStop(response.stop, response.stop_sequence)]


def _of_block(index: int, block: Block) -> list[Event]:
    out: list[Event]
    match block:
        case TextBlock():
            out = [BlockStart(index, replace(block, text="")), Delta(index, block.text)]
        case Thinking(redacted=False):
            out = [BlockStart(index, replace(block, text="", signature="")), Delta(index, block.text)]
            if block.signature:
                out.append(Signature(index, block.signature))
        case ToolUse():
            out = [BlockStart(index, replace(block, arguments="")), Delta(index, block.arguments)]
        case _:
            out = [BlockStart(index, block)]
    return [*out, BlockStop(index)]


class Collector:
    """Puts a stream together. The reader's limits bound its contents."""

    def __init__(self) -> None:
        self._start = MessageStart()
        self._blocks: dict[int, Block] = {}
        self._texts: dict[int, list[str]] = {}
        self._stop = MessageStop("end_turn")
        self._usage = TokenCounts()

    def add(self, event: Event) -> None:
        """Raises the `DialectError` of a `Failed` event."""
        match event:
            case Failed():
                raise event.error
            case MessageStart():
                self._start = event
            case BlockStart():
                self._blocks[event.index] = event.block
                self._texts[event.index] = []
            case Delta() if event.index in self._texts:
                self._texts[event.index].append(event.text)
            case Signature() if isinstance(self._blocks.get(event.index), Thinking):
                self._blocks[event.index] = replace(self._blocks[event.index], signature=event.signature)
            case UsageUpdate():
                self._usage = event.usage
            case MessageStop():
                self._stop = event
            case _:
                pass

    def response(self) -> ModelResponse:
        content = tuple(_with_text(block, "".join(self._texts[index])) for index, block in self._blocks.items())
        return ModelResponse(
            self._start.id, self._start.model, content, self._stop.reason, self._stop.sequence, self._usage
        )


def _with_text(block: Block, text: str) -> Block:
    match block:
        case TextBlock():
            return replace(block, text=block.text + text)
        case Thinking():
            return replace(block, text=block.text + text)
        case ToolUse():
            return replace(block, arguments=block.arguments + text)
        case _:
            return block


def collect(events: Iterable[Event]) -> ModelResponse:
    """A whole stream as one answer. Raises the `DialectError` that it failed with."""
    collector = Collector()
    for event in events:
        collector.add(event)
    return collector.response()
