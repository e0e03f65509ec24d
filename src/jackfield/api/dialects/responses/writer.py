"""Events -> the event stream of `/v1/responses`.

Grammar: response.created, response.in_progress, then per item output_item.added, its parts and deltas, and
output_item.done; at last response.completed, .incomplete or .failed with the whole response. Numbered throughout.
"""

from __future__ import annotations

import time

from ...jsontext import Json
from ...records import replace
from ..errors import openai_error
from ..fields import dumps
from ..model import Block, DialectError, ModelRequest, Object, StopReason, TextBlock, Thinking, ToolUse
from ..names import answer_id, asked_tools, new_id
from ..sse import KEEP_ALIVE
from ..writing import SequentialWriter
from .answer import call_item, finished, message_item, reasoning_item, skeleton, text_part


class ResponsesWriter(SequentialWriter):
    def __init__(self, asked: ModelRequest) -> None:
        super().__init__(asked)
        self._tools = asked_tools(asked)
        self._sequence = 0
        self._response: Object = {}
        self._output: list[Json] = []
        self._ids = new_id("")
        self._item_id = ""
        self._now_open: Block | None = None  # the open one
        self._said: list[str] = []
        self._template: tuple[bytes, bytes] | None = None  # around a delta's text; None: it is told whole at its end

    # ---------------------------------------------------------------------------------------------------- the frames

    def _event(self, kind: str, **fields: Json) -> bytes:
        data = {"type": kind, "sequence_number": self._sequence, **fields}
        self._sequence += 1
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), dumps(data))

    def _about(self, **fields: Json) -> Object:
        """The open item."""
        return {"item_id": self._item_id, "output_index": len(self._output), **fields}

    def _deltas(self, kind: str, **about: Json) -> None:
        """How the open block's deltas are framed."""
        head = b"event: %b\ndata: " % kind.encode()
        rest = dumps({"type": kind, **self._about(**about)})[:-1]
        self._template = head + rest + b',"delta":', b',"sequence_number":'

    # ----------------------------------------------------------------------------------------------------- the steps

    def _start(self, message_id: str, model: str) -> bytes:
        self._response = skeleton(answer_id(message_id, "responses"), self.asked, int(time.time()))
        return self._event("response.created", response=self._response) + self._event(
            "response.in_progress", response=self._response
        )

    def _block_start(self, block: Block) -> bytes:
        self._now_open, self._said, self._template = block, [], None
        match block:
            case TextBlock():
                return self._text_start(block)
            case Thinking():
                return self._thinking_start(block)
            case ToolUse():
                return self._call_start(block)
        self._now_open = None
        return b""

    def _added(self, item: Object) -> bytes:
        return self._event("response.output_item.added", output_index=len(self._output), item=item)

    def _new_item(self, prefix: str) -> str:
        self._item_id = f"{prefix}{self._ids}{len(self._output):02x}"
        return self._item_id

    def _text_start(self, block: TextBlock) -> bytes:
        added = self._added(message_item(self._new_item("msg_")))
        part = self._about(content_index=0, part=text_part(block))
        if block.refusal:
            self._deltas("response.refusal.delta", content_index=0)
        else:
            self._deltas("response.output_text.delta", content_index=0, logprobs=[])
        return added + self._event("response.content_part.added", **part)

    def _thinking_start(self, block: Thinking) -> bytes:
        return self._added({"id": self._new_item("rs_"), "type": "reasoning", "summary": []})

    def _call_start(self, call: ToolUse) -> bytes:
        item = call_item(self._new_item("fc_"), call, self._tools)
        field = "input" if item["type"] == "custom_tool_call" else "arguments"
        if field == "arguments":
            self._deltas("response.function_call_arguments.delta")
        return self._added({**item, "status": "in_progress", field: ""})

    def _delta(self, text: str) -> bytes:
        if self._now_open is None:
            return b""
        first = not self._said
        self._said.append(text)
        opening = self._summary_start() if first and isinstance(self._now_open, Thinking) else b""
        if self._template is None:
            return opening
        head, tail = self._template
        self._sequence += 1
        return b"%b%b%b%b%d}\n\n" % (opening, head, dumps(text), tail, self._sequence - 1)

    def _summary_start(self) -> bytes:
        self._deltas("response.reasoning_summary_text.delta", summary_index=0)
        part: Object = {"type": "summary_text", "text": ""}
        return self._event("response.reasoning_summary_part.added", **self._about(summary_index=0, part=part))

    def _signature(self, signature: str) -> bytes:
        if isinstance(self._now_open, Thinking):
            self._now_open = replace(self._now_open, signature=signature)
        return b""

    def _block_stop(self) -> bytes:
        block, self._now_open = self._now_open, None
        said = "".join(self._said)
        match block:
            case TextBlock():
                return self._text_done(replace(block, text=said))
            case Thinking():
                return self._thinking_done(replace(block, text=said))
            case ToolUse():
                return self._call_done(replace(block, arguments=said))
        return b""

    def _done(self, item: Object) -> bytes:
        written = self._event("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)
        return written

    def _text_done(self, block: TextBlock) -> bytes:
        part = text_part(block)
        if block.refusal:
            told = self._event("response.refusal.done", **self._about(content_index=0, refusal=block.text))
        else:
            about = self._about(content_index=0, text=block.text, logprobs=[])
            told = self._event("response.output_text.done", **about)
        told += self._event("response.content_part.done", **self._about(content_index=0, part=part))
        return told + self._done({**message_item(self._item_id), "status": "completed", "content": [part]})

    def _thinking_done(self, block: Thinking) -> bytes:
        told = b""
        if block.text:
            about = self._about(summary_index=0, text=block.text)
            told = self._event("response.reasoning_summary_text.done", **about)
            part: Object = {"type": "summary_text", "text": block.text}
            told += self._event("response.reasoning_summary_part.done", **self._about(summary_index=0, part=part))
        return told + self._done(reasoning_item(self._item_id, block))

    def _call_done(self, call: ToolUse) -> bytes:
        item = call_item(self._item_id, call, self._tools)
        if item["type"] == "custom_tool_call":
            kind, field = "response.custom_tool_call_input", "input"
            told = self._event(f"{kind}.delta", **self._about(delta=item["input"])) if item["input"] else b""
        else:
            kind, field, told = "response.function_call_arguments", "arguments", b""
            if not self._said:
                told = self._event(f"{kind}.delta", **self._about(delta=item["arguments"]))
        told += self._event(f"{kind}.done", **self._about(name=item["name"], **{field: item[field]}))
        return told + self._done(item)

    def _finish(self, reason: StopReason, sequence: str | None) -> bytes:
        response = finished(self._response, self._output, reason, self.usage)
        return self._event(f"response.{response['status']}", response=response)

    def _fail(self, error: DialectError) -> bytes:
        """Alone if nothing was written before: it may end a stream that someone else has begun."""
        started = self._response or skeleton(answer_id("", "responses"), self.asked, int(time.time()))
        told = openai_error(error)
        failure: Object = {"code": told["code"] or "invalid_prompt", "message": told["message"]}
        response = {**started, "status": "failed", "error": failure, "output": self._output}
        return self._event("response.failed", response=response)

    def _ping(self) -> bytes:
        return KEEP_ALIVE
