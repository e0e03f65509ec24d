"""Events -> the event stream of `:streamGenerateContent`.

Each event is an answer with the new parts, and the last one has the reason for the end and the counts. Google's
libraries take nothing else: no names, no comments.
"""

from __future__ import annotations

from ...records import replace
from ..errors import google_error
from ..fields import dumps
from ..model import Block, DialectError, ModelRequest, StopReason, TextBlock, Thinking, ToolUse
from ..names import answer_id, asked_tools
from ..sse import unnamed
from ..writing import SequentialWriter
from .answer import arguments_of, build_usage, call_part, client_part, finish, malformed_call
from .naming import client_signature
from .thinking import shows_thoughts

_TEXT = b'{"text":%b}'
_THOUGHT = b'{"text":%b,"thought":true}'


class GeminiWriter(SequentialWriter):
    def __init__(self, asked: ModelRequest) -> None:
        super().__init__(asked)
        self._tools = asked_tools(asked)
        self._shown = shows_thoughts(asked.reasoning)
        self._tail = b""  # of an event, behind its candidate
        self._field: bytes | None = None  # of the open block's pieces; None: they have no form here
        self._thinking: Thinking | None = None  # the open one
        self._call: ToolUse | None = None  # the open one, whose arguments are told once they are whole
        self._arguments: list[str] = []
        self._malformed = ""

    def _start(self, message_id: str, model: str) -> bytes:
        named = {"modelVersion": self.asked.model, "responseId": answer_id(message_id, "gemini")}
        self._tail = b"," + dumps(named)[1:]
        return b""

    def _event(self, part: bytes) -> bytes:
        head = b'data: {"candidates":[{"content":{"parts":[%b],"role":"model"},"index":0}]' % part
        return b"%b%b\n\n" % (head, self._tail)

    def _block_start(self, block: Block) -> bytes:
        self._field = self._thinking = self._call = None
        match block:
            case TextBlock():
                self._field = _TEXT
            case Thinking(redacted=False):
                if self._shown or block.origin == "gemini":
                    self._field, self._thinking = _THOUGHT, block
            case ToolUse():
                self._call, self._arguments = block, []
            case _:
                part = client_part(block, self._tools, shown=self._shown)
                return b"" if part is None else self._event(dumps(part))
        return b""

    def _delta(self, text: str) -> bytes:
        if self._call is not None:
            self._arguments.append(text)
            return b""
        return b"" if self._field is None else self._event(self._field % dumps(text))

    def _signature(self, signature: str) -> bytes:
        if self._thinking is None:
            return b""
        signed = client_signature(signature, self._thinking.origin)
        return self._event(dumps({"text": "", "thought": True, "thoughtSignature": signed}))

    def _block_stop(self) -> bytes:
        if self._call is None:
            return b""
        call, self._call = replace(self._call, arguments="".join(self._arguments)), None
        if arguments_of(call, self._tools) is None:
            self._malformed = malformed_call(call)
            return b""
        return self._event(dumps(call_part(call, self._tools)))

    def _finish(self, reason: StopReason, sequence: str | None) -> bytes:
        content = {"parts": [{"text": ""}], "role": "model"}
        candidate = {"content": content, **finish(reason, self._malformed), "index": 0}
        body = dumps({"candidates": [candidate], "usageMetadata": build_usage(self.usage)})
        return b"data: %b%b\n\n" % (body[:-1], self._tail)

    def _fail(self, error: DialectError) -> bytes:
        return unnamed({"error": google_error(error)})

    def _ping(self) -> bytes:
        return b""
