"""The event stream of `/v1/responses` -> events."""

from __future__ import annotations

from ...jsontext import Json
from ...records import replace
from .. import errors
from ..fields import obj, text
from ..model import (
    Block,
    BlockStop,
    Delta,
    Event,
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
from ..reading import SseReader, cut_off
from .answer import answer_call, blocks_of, item_blocks, parse_answer, parse_usage, stop_of

_Key = tuple[str, int, int]  # kind of block, output_index, content_index


class _Open:
    def __init__(self, index: int, block: Block) -> None:
        self.index = index
        self.block = block
        self.said = False  # a delta came
        self.part: object = None  # of a reasoning summary


class ResponsesReader(SseReader):
    def __init__(self) -> None:
        super().__init__()
        self._started = self._called = self._refused = False
        self._blocks: dict[_Key, _Open] = {}
        self._closed: set[_Key] = set()

    def _parse(self, body: bytes) -> ModelResponse:
        return parse_answer(body)

    def _take(self, name: str, data: Object, out: list[Event]) -> None:
        match data.get("type") or name:
            case "response.output_text.delta":
                self._say(_key("text", data), TextBlock(""), data, out)
            case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
                self._argue(data, out)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._think(data, out)
            case "response.refusal.delta":
                self._refused = True
                self._say(_key("text", data), TextBlock("", refusal=True), data, out)
            case "response.output_item.added":
                self._item_added(data, out)
            case "response.content_part.done":
                self._part_done(data, out)
            case "response.output_item.done":
                self._item_done(data, out)
            case "response.created":
                self._begin(obj(data.get("response")), out)
            case "response.in_progress":
                out.append(Ping())
            case "response.completed" | "response.incomplete" | "response.done":
                self._completed(obj(data.get("response")), out)
            case "response.failed":
                raise errors.from_object(obj(obj(data.get("response")).get("error")))
            case "error":
                raise errors.from_object(obj(data.get("error")) or data)

    def _begin(self, response: Object, out: list[Event]) -> None:
        if not self._started:
            self._started = True
            out.append(MessageStart(text(response.get("id")), text(response.get("model"))))

    # -------------------------------------------------------------------------------------------------------- deltas

    def _opened(self, key: _Key, block: Block, out: list[Event]) -> _Open:
        self._begin({}, out)
        found = self._blocks.get(key)
        if found is None:
            found = self._blocks[key] = _Open(self._open(block, out), block)
        return found

    def _say(self, key: _Key, block: Block, data: Object, out: list[Event]) -> None:
        opened = self._opened(key, block, out)
        opened.said = True
        out.append(Delta(opened.index, text(data.get("delta"))))

    def _argue(self, data: Object, out: list[Event]) -> None:
        opened = self._blocks.get(_key("call", data))
        if opened is not None:
            opened.said = True
            out.append(Delta(opened.index, text(data.get("delta"))))

    def _think(self, data: Object, out: list[Event]) -> None:
        opened = self._opened(_key("thinking", data), Thinking("", origin="responses"), out)
        part = (data.get("summary_index"), data.get("content_index"))
        if opened.said and part != opened.part:
            out.append(Delta(opened.index, "\n\n"))
        opened.said, opened.part = True, part
        out.append(Delta(opened.index, text(data.get("delta"))))

    # --------------------------------------------------------------------------------------------------------- items

    def _item_added(self, data: Object, out: list[Event]) -> None:
        item = obj(data.get("item"))
        if item.get("type") in ("function_call", "custom_tool_call"):
            self._called = True
            self._opened(_key("call", data), replace(answer_call(item), arguments=""), out)

    def _part_done(self, data: Object, out: list[Event]) -> None:
        """A part whose deltas were left out."""
        part = obj(data.get("part"))
        if part.get("type") in ("output_text", "refusal"):
            key = _key("text", data)
            refusal = text(part.get("refusal"))
            self._refused = self._refused or bool(refusal)
            self._close(key, TextBlock(refusal or text(part.get("text")), refusal=bool(refusal)), out)

    def _item_done(self, data: Object, out: list[Event]) -> None:
        item = obj(data.get("item"))
        for position, block in enumerate(item_blocks(item)):
            if isinstance(block, TextBlock):
                key = ("text", _number(data.get("output_index")), position)
                if key not in self._closed:
                    self._close(key, block, out)
            elif isinstance(block, ToolUse):
                self._called = True
                self._close(_key("call", data), block, out)
            elif isinstance(block, Thinking):
                self._close(_key("thinking", data), block, out)

    def _close(self, key: _Key, block: Block, out: list[Event]) -> None:
        """Ends a block; what came without deltas is taken from its final form."""
        head, content = _split(block)
        opened = self._blocks.get(key) or self._opened(key, head, out)
        if not opened.said and content:
            out.append(Delta(opened.index, content))
        if isinstance(block, Thinking) and not block.redacted and block.signature:
            out.append(Signature(opened.index, block.signature))
        out.append(BlockStop(opened.index))
        self._blocks.pop(key, None)
        self._closed.add(key)

    # ------------------------------------------------------------------------------------------------------- the end

    def _completed(self, response: Object, out: list[Event]) -> None:
        self._begin(response, out)
        if self._next_index == 0:
            for block in blocks_of(response):
                self._called = self._called or isinstance(block, ToolUse)
                self._close(("whole", self._next_index, 0), block, out)
        out += [BlockStop(opened.index) for opened in self._blocks.values()]
        self._blocks.clear()
        self.tier = text(response.get("service_tier")) or None
        self._count(parse_usage(obj(response.get("usage"))), out)
        out.append(MessageStop(stop_of(response, called=self._called, refused=self._refused)))
        self.finished = True

    def _ended(self, out: list[Event]) -> None:
        raise cut_off()


def _split(block: Block) -> tuple[Block, str]:
    """The first form of a block, and its content."""
    match block:
        case TextBlock():
            return replace(block, text=""), block.text
        case ToolUse():
            return replace(block, arguments=""), block.arguments
        case Thinking(redacted=False):
            return replace(block, text="", signature=""), block.text
        case _:
            return block, ""


def _key(kind: str, data: Object) -> _Key:
    part = _number(data.get("content_index")) if kind == "text" else 0
    return kind, _number(data.get("output_index")), part


def _number(value: Json) -> int:
    return value if type(value) is int else 0
