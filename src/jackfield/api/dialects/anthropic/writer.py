"""Events -> the event stream of `/v1/messages`.

Grammar: message_start, blocks with rising indices of which one is open at a time, message_delta, message_stop; pings
anywhere after the start.
"""

from __future__ import annotations

from ..errors import anthropic_error
from ..fields import dumps
from ..freeform import wrapped
from ..model import Block, DialectError, ModelRequest, Object, StopReason, TextBlock, Thinking, ToolUse
from ..names import answer_id, asked_tools, hide_call_id, tag_signature
from ..sse import named
from ..writing import SequentialWriter
from .answer import STOP_NAMES, build_usage, client_block

_TEXT = b'"type":"text_delta","text":'
_THINKING = b'"type":"thinking_delta","thinking":'
_INPUT = b'"type":"input_json_delta","partial_json":'
_SIGNATURE = b'"type":"signature_delta","signature":'


class MessagesWriter(SequentialWriter):
    def __init__(self, asked: ModelRequest) -> None:
        super().__init__(asked)
        self._tools = asked_tools(asked)
        self._index = -1
        self._sent = False  # the open block was begun, and not left out
        self._field = _TEXT
        self._thinking: Thinking | None = None  # open, and not signed yet
        self._bare: list[str] | None = None  # a freeform input, which is wrapped once it is whole

    def _start(self, message_id: str, model: str) -> bytes:
        message: Object = {
            "id": answer_id(message_id, "anthropic"),
            "type": "message",
            "role": "assistant",
            "model": self.asked.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": build_usage(self.usage),
        }
        return named("message_start", {"type": "message_start", "message": message})

    def _block_start(self, block: Block) -> bytes:
        head = self._head(block)
        self._sent = head is not None
        if head is None:
            return b""
        self._index += 1
        data = {"type": "content_block_start", "index": self._index, "content_block": head}
        return named("content_block_start", data)

    def _head(self, block: Block) -> Object | None:
        self._thinking = self._bare = None
        match block:
            case TextBlock():
                self._field = _TEXT
                return {"type": "text", "text": ""}
            case Thinking(redacted=False):
                self._field, self._thinking = _THINKING, block
                return {"type": "thinking", "thinking": "", "signature": ""}
            case ToolUse():
                self._field = _INPUT
                self._bare = [] if block.kind == "custom" else None
                tool = self._tools.get(block.name)
                name = tool.name if tool else block.name
                return {"type": "tool_use", "id": hide_call_id(block.id), "name": name, "input": {}}
            case _:
                return client_block(block)

    def _delta(self, text: str) -> bytes:
        if self._bare is not None:
            self._bare.append(text)
            return b""
        return self._put(self._field, text)

    def _put(self, field: bytes, text: str) -> bytes:
        if not self._sent:
            return b""
        return b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":{%b%b}}\n\n' % (
            self._index,
            field,
            dumps(text),
        )

    def _signature(self, signature: str) -> bytes:
        thinking, self._thinking = self._thinking, None
        if thinking is None:
            return b""
        return self._put(_SIGNATURE, tag_signature(signature, thinking.origin, "anthropic"))

    def _block_stop(self) -> bytes:
        if not self._sent:
            return b""
        last = b""
        if self._thinking is not None and self._thinking.origin != "anthropic":
            last = self._signature("")
        elif self._bare is not None:
            last = self._put(_INPUT, wrapped("".join(self._bare)))
        return last + named("content_block_stop", {"type": "content_block_stop", "index": self._index})

    def _finish(self, reason: StopReason, sequence: str | None) -> bytes:
        delta: Object = {"stop_reason": STOP_NAMES[reason], "stop_sequence": sequence}
        closing = {"type": "message_delta", "delta": delta, "usage": build_usage(self.usage)}
        return named("message_delta", closing) + named("message_stop", {"type": "message_stop"})

    def _fail(self, error: DialectError) -> bytes:
        return named("error", {"type": "error", "error": anthropic_error(error)})

    def _ping(self) -> bytes:
        return named("ping", {"type": "ping"})
