"""Events -> the chunks of `/v1/chat/completions`: role, deltas, finish reason, usage if asked for, [DONE]."""

from __future__ import annotations

import time

from ..errors import openai_error
from ..fields import dumps
from ..freeform import unwrapped
from ..model import Block, DialectError, ModelRequest, Object, StopReason, TextBlock, Thinking, ToolDefinition, ToolUse
from ..names import answer_id, asked_tools
from ..sse import KEEP_ALIVE, unnamed
from ..writing import SequentialWriter
from .answer import STOP_NAMES, build_usage, built_call


class ChatWriter(SequentialWriter):
    def __init__(self, asked: ModelRequest) -> None:
        super().__init__(asked)
        self._tools: dict[str, ToolDefinition] = asked_tools(asked)
        self._common: Object = {}
        self._head = b""  # a chunk up to its delta
        self._field: bytes | None = None  # of the open block, None: it has no form here
        self._call_index = -1
        self._call: ToolUse | None = None  # the open one
        self._bare: list[str] | None = None  # arguments of a freeform tool, unwrapped once they are whole
        self._argued = False

    def _start(self, message_id: str, model: str) -> bytes:
        self._common = {
            "id": answer_id(message_id, "chat"),
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": self.asked.model,
        }
        self._head = b'data: %b,"choices":[{"index":0,"delta":' % dumps(self._common)[:-1]
        return self._chunk(b'{"role":"assistant","content":""}')

    def _chunk(self, delta: bytes, finish: bytes = b"null") -> bytes:
        return b'%b%b,"finish_reason":%b}]}\n\n' % (self._head, delta, finish)

    def _block_start(self, block: Block) -> bytes:
        self._call = self._bare = self._field = None
        match block:
            case TextBlock():
                self._field = b'{"refusal":%b}' if block.refusal else b'{"content":%b}'
            case Thinking():
                self._field = b'{"reasoning_content":%b}'
            case ToolUse():
                return self._call_start(block)
            case _:
                pass
        return b""

    def _call_start(self, call: ToolUse) -> bytes:
        self._call_index += 1
        self._call, self._argued = call, False
        tool = self._tools.get(call.name)
        if tool is not None and tool.kind == "custom":
            self._bare = []
            return b""
        made = built_call(call, self._tools)
        made["function"] = {"name": tool.name if tool else call.name, "arguments": ""}
        self._field = b'{"tool_calls":[{"index":%d,"function":{"arguments":%%b}}]}' % self._call_index
        return self._chunk(dumps({"tool_calls": [{"index": self._call_index, **made}]}))

    def _delta(self, text: str) -> bytes:
        if self._bare is not None:
            self._bare.append(text)
            return b""
        if self._field is None:
            return b""
        self._argued = True
        return self._chunk(self._field % dumps(text))

    def _signature(self, signature: str) -> bytes:
        return b""

    def _block_stop(self) -> bytes:
        call = self._call
        if call is None:
            return b""
        if self._bare is not None:
            arguments = "".join(self._bare)
            bare = arguments if call.kind == "custom" else unwrapped(arguments)
            made = built_call(ToolUse(call.id, call.name, bare, kind="custom"), self._tools)
            return self._chunk(dumps({"tool_calls": [{"index": self._call_index, **made}]}))
        return b"" if self._argued else self._delta("{}")

    def _finish(self, reason: StopReason, sequence: str | None) -> bytes:
        last = self._chunk(b"{}", b'"%b"' % STOP_NAMES[reason].encode())
        if self.asked.include_usage:
            last += unnamed({**self._common, "choices": [], "usage": build_usage(self.usage)})
        return last + b"data: [DONE]\n\n"

    def _fail(self, error: DialectError) -> bytes:
        return unnamed({"error": openai_error(error)})

    def _ping(self) -> bytes:
        return KEEP_ALIVE
