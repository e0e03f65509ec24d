"""The chunks of `/v1/chat/completions` -> events."""

from __future__ import annotations

from ...jsontext import Json
from .. import errors
from ..fields import arr, dumps_text, obj, text
from ..model import (
    Block,
    BlockStop,
    Delta,
    Event,
    MessageStart,
    MessageStop,
    ModelResponse,
    Object,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolUse,
)
from ..names import new_id
from ..reading import SseReader, cut_off
from .answer import error_object, parse_completion, parse_usage, said_in, stop_of, thought_of
from .parse import signature_of


class _Call:
    """A tool call in the making: its block opens once the name is known."""

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.index: int | None = None
        self.nameless: list[str] = []  # arguments that came before the name


class ChatReader(SseReader):
    def __init__(self) -> None:
        super().__init__()
        self._started = self._called = self._refused = False
        self._finish: Json = None
        self._prose: tuple[int, Block] | None = None  # the open text or thinking block
        self._calls: dict[int, _Call] = {}
        self._last = 0  # the upstream's index of the latest call

    def _parse(self, body: bytes) -> ModelResponse:
        return parse_completion(body)

    def _take(self, name: str, data: Object, out: list[Event]) -> None:
        if data.get("error"):
            raise errors.from_object(error_object(data["error"]))
        if not self._started:
            self._started = True
            out.append(MessageStart(text(data.get("id")), text(data.get("model"))))
        for choice in map(obj, arr(data.get("choices"))):
            if not choice.get("index"):  # others are of further answers to the same request
                self._choice(choice, out)
        if tier := text(data.get("service_tier")):
            self.tier = tier
        if usage := obj(data.get("usage")):
            self._count(_latest(self.usage, parse_usage(usage)), out)

    def _choice(self, choice: Object, out: list[Event]) -> None:
        delta = obj(choice.get("delta")) or obj(choice.get("message"))
        thinking, said = said_in(delta.get("content"))
        if thought := thought_of(delta) or thinking:
            self._say(Thinking("", origin="chat"), thought, out)
        if said:
            self._say(TextBlock(""), said, out)
        if refusal := text(delta.get("refusal")):
            self._refused = True
            self._say(TextBlock("", refusal=True), refusal, out)
        for call in arr(delta.get("tool_calls")):
            self._call(obj(call), out)
        if legacy := obj(delta.get("function_call")):
            self._call({"index": 0, "function": legacy}, out)
        if choice.get("finish_reason"):
            self._finish = choice["finish_reason"]

    def _say(self, block: TextBlock | Thinking, content: str, out: list[Event]) -> None:
        if self._prose is None or self._prose[1] != block:
            self._stop_prose(out)
            self._prose = self._open(block, out), block
        out.append(Delta(self._prose[0], content))

    def _stop_prose(self, out: list[Event]) -> None:
        if self._prose is not None:
            out.append(BlockStop(self._prose[0]))
            self._prose = None

    def _call(self, call: Object, out: list[Event]) -> None:
        call_id = text(call.get("id"))
        function = obj(call.get("custom")) or obj(call.get("function"))
        name = text(function.get("name"))
        current = self._current(call.get("index"), call_id, name, out)
        if current.index is None and name:
            kind = "custom" if obj(call.get("custom")) else "function"
            self._called = True
            self._stop_prose(out)
            block = ToolUse(current.id, name, kind=kind, signature=signature_of(call))  # type: ignore[arg-type]
            current.index = self._open(block, out)
            out += [Delta(current.index, piece) for piece in current.nameless]
            current.nameless.clear()
        arguments = function.get("arguments", function.get("input"))
        piece = dumps_text(arguments) if type(arguments) is dict else text(arguments)
        if piece and current.index is None:
            current.nameless.append(piece)
        elif piece and current.index is not None:
            out.append(Delta(current.index, piece))

    def _current(self, given: Json, call_id: str, name: str, out: list[Event]) -> _Call:
        """The call that a piece belongs to. Some send no index, some 0 for every call: then a new id is a new call."""
        position = given if type(given) is int else len(self._calls) if call_id and name else self._last
        current = self._calls.get(position)
        if current is not None and name and call_id and current.index is not None and call_id != current.id:
            out.append(BlockStop(current.index))
            current = None
        if current is None:
            current = self._calls[position] = _Call(call_id or new_id("call_"))
        elif call_id and current.index is None:
            current.id = call_id
        self._last = position
        return current

    # ------------------------------------------------------------------------------------------------------ the end

    def _done(self, out: list[Event]) -> None:
        if not self._started:
            raise cut_off()
        self._end(out)

    def _ended(self, out: list[Event]) -> None:
        if self._finish is None:
            raise cut_off()
        self._end(out)

    def _end(self, out: list[Event]) -> None:
        self._stop_prose(out)
        out += [BlockStop(call.index) for call in self._calls.values() if call.index is not None]
        out.append(MessageStop(stop_of(self._finish, called=self._called, refused=self._refused)))
        self.finished = True


def _latest(old: TokenCounts, new: TokenCounts) -> TokenCounts:
    """A trailing chunk with zeros does not undo what an earlier one told."""
    return new if new.prompt or new.output else old
