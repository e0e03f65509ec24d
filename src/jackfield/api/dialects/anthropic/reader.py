"""The event stream of `/v1/messages` -> events. Takes what third parties make of the grammar."""

from __future__ import annotations

from ...jsontext import Json
from .. import errors
from ..counts import cumulative
from ..fields import arr, dumps_text, obj, text
from ..model import (
    Block,
    BlockStop,
    Delta,
    Event,
    Foreign,
    MessageStart,
    MessageStop,
    ModelResponse,
    Object,
    Ping,
    Signature,
    TextBlock,
    Thinking,
    ToolUse,
)
from ..names import new_id
from ..reading import SseReader, cut_off
from .answer import answer_block, parse_message, refusal_of, stop_of, tier_of

_BEFORE = -1
"""The index of a block that came with the start; the stream's own begin at 0."""
_FIELD = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
_FITS: dict[str, type[Block]] = {"text_delta": TextBlock, "thinking_delta": Thinking, "input_json_delta": ToolUse}


class MessagesReader(SseReader):
    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, tuple[int, Block]] = {}  # the upstream's index -> ours
        self._started = self._called = self._stopped = False
        self._stop_reason: Json = None  # as the start told it

    def _parse(self, body: bytes) -> ModelResponse:
        return parse_message(body)

    def _take(self, name: str, data: Object, out: list[Event]) -> None:
        match data.get("type") or name:
            case "content_block_delta":
                self._delta(data.get("index"), obj(data.get("delta")), out)
            case "content_block_start":
                self._block_start(data.get("index"), obj(data.get("content_block")), out)
            case "content_block_stop":
                self._block_stop(data.get("index"), out)
            case "message_start":
                self._message_start(obj(data.get("message")), out)
            case "message_delta":
                self._message_delta(data, out)
            case "message_stop":
                self._stop(out)
            case "ping":
                out.append(Ping())
            case "error":
                raise errors.from_object(obj(data.get("error")))

    def _message_start(self, message: Object, out: list[Event]) -> None:
        """Some gateways send it twice."""
        if not self._started:
            self._started = True
            out.append(MessageStart(text(message.get("id")), text(message.get("model"))))
            self._stop_reason = message.get("stop_reason")
            for block in arr(message.get("content")):  # an answer that a tool of the provider's interrupted goes on
                self._block_start(_BEFORE, obj(block), out)
                self._block_stop(_BEFORE, out)
        self._told(obj(message.get("usage")), out)

    def _block_start(self, index: object, block: Object, out: list[Event]) -> None:
        self._block_stop(index, out)
        kind = block.get("type")
        if kind == "text":
            self._begin_block(index, TextBlock(""), text(block.get("text")), out)
        elif kind == "thinking":
            ours = self._begin_block(index, Thinking(""), text(block.get("thinking")), out)
            if signature := text(block.get("signature")):
                out.append(Signature(ours, signature))
        elif kind == "tool_use":
            self._called = True
            arguments = dumps_text(block["input"]) if block.get("input") else ""
            call_id = text(block.get("id")) or new_id("toolu_")
            self._begin_block(index, ToolUse(call_id, text(block.get("name"))), arguments, out)
        elif kind == "redacted_thinking":
            self._begin_block(index, answer_block(block), "", out)
        elif type(kind) is str:
            self._begin_block(index, Foreign("anthropic", block), "", out)

    def _begin_block(self, index: object, block: Block, content: str, out: list[Event]) -> int:
        ours = self._open(block, out)
        self._blocks[_key(index)] = ours, block
        if content:
            out.append(Delta(ours, content))
        return ours

    def _delta(self, index: object, delta: Object, out: list[Event]) -> None:
        kind = text(delta.get("type"))
        if kind == "signature_delta":
            self._signature(index, text(delta.get("signature")), out)
            return
        field = _FIELD.get(kind)
        if field is None:  # citations, and what is new
            return
        content = text(delta.get(field))
        known = self._blocks.get(_key(index))
        if known is not None and isinstance(known[1], _FITS[kind]):
            out.append(Delta(known[0], content))
        elif content and kind != "input_json_delta":  # a block that was never opened, or as another kind
            self._block_stop(index, out)
            self._begin_block(index, TextBlock("") if kind == "text_delta" else Thinking(""), content, out)

    def _signature(self, index: object, signature: str, out: list[Event]) -> None:
        known = self._blocks.get(_key(index))
        if known is not None and signature and isinstance(known[1], Thinking):
            out.append(Signature(known[0], signature))

    def _block_stop(self, index: object, out: list[Event]) -> None:
        known = self._blocks.pop(_key(index), None)
        if known is not None:
            out.append(BlockStop(known[0]))

    def _message_delta(self, data: Object, out: list[Event]) -> None:
        self._told(obj(data.get("usage")), out)
        delta = obj(data.get("delta"))
        if delta.get("stop_reason") is not None and not self._stopped:
            self._close_all(out)
            if refusal := refusal_of(delta):
                self._put(TextBlock("", refusal=True), refusal.text, out)
            self._stopped = True
            reason = stop_of(delta["stop_reason"], called=self._called)
            out.append(MessageStop(reason, text(delta.get("stop_sequence")) or None))

    def _told(self, usage: Object, out: list[Event]) -> None:
        self.tier = tier_of(usage) or self.tier
        self._count(cumulative(self.usage, usage), out)

    def _stop(self, out: list[Event]) -> None:
        self._close_all(out)
        if not self._stopped:
            out.append(MessageStop(stop_of(self._stop_reason, called=self._called)))
        self.finished = True

    def _close_all(self, out: list[Event]) -> None:
        for index in list(self._blocks):
            self._block_stop(index, out)

    def _ended(self, out: list[Event]) -> None:
        if not self._stopped:
            raise cut_off()


def _key(index: object) -> int:
    return index if type(index) is int else 0
