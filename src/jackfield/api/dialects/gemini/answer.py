"""A whole answer, both ways."""

from __future__ import annotations

from ...jsontext import Json
from .. import errors
from ..counts import google_counts
from ..fields import arr, dumps_text, loads, obj, text
from ..freeform import ARGUMENT
from ..model import (
    Block,
    DialectError,
    Foreign,
    ModelRequest,
    ModelResponse,
    Object,
    StopReason,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolDefinition,
    ToolUse,
)
from ..names import answer_id, asked_tools, new_id
from ..reading import no_answer
from .naming import client_signature
from .thinking import shows_thoughts

_STOPS: dict[str, StopReason] = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens"}
_FAILURES = frozenset({
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
})  # fmt: skip
"""Ends of an answer that is none; all others are refusals."""
STOP_NAMES: dict[StopReason, str] = {
    "end_turn": "STOP",
    "max_tokens": "MAX_TOKENS",
    "tool_use": "STOP",
    "stop_sequence": "STOP",
    "refusal": "SAFETY",
    "pause_turn": "STOP",
    "context_exceeded": "MAX_TOKENS",
}
MALFORMED = "MALFORMED_FUNCTION_CALL"
_SAID_OF_PARTS = frozenset({"thought", "thoughtSignature"})
"""The keys that a part may have beside its contents."""


def parse_answer(data: bytes) -> ModelResponse:
    try:
        body = obj(loads(data))
    except ValueError:
        raise no_answer() from None
    require_served(body)
    candidates = arr(body.get("candidates"))
    if not candidates or type(candidates[0]) is not dict:
        raise no_answer()
    candidate = candidates[0]
    blocks = tuple(block for part in parts_of(candidate) for block in answer_blocks(part))
    called = any(isinstance(block, ToolUse) for block in blocks)
    return ModelResponse(
        text(body.get("responseId")),
        text(body.get("modelVersion")),
        blocks,
        stop_of(candidate, called=called),
        usage=google_counts(obj(body.get("usageMetadata"))),
    )


def parts_of(candidate: Object) -> list[Object]:
    return [obj(part) for part in arr(obj(candidate.get("content")).get("parts"))]


def require_served(body: Object) -> None:
    """Raises `DialectError` for a failure, and for a prompt that was blocked."""
    if body.get("error"):
        error = body["error"]
        raise errors.from_object(error if type(error) is dict else {"message": text(error)})
    feedback = obj(body.get("promptFeedback"))
    reason = text(feedback.get("blockReason"))
    if reason and not arr(body.get("candidates")):
        why = text(feedback.get("blockReasonMessage"))
        message = f"The provider has blocked the prompt ({reason}){': ' + why if why else '.'}"
        raise DialectError(400, message, "invalid_request_error", code="content_filter", lasting=True)


def answer_blocks(part: Object) -> list[Block]:
    """The block that a part of an answer stands for, and the signature that comes with it."""
    signature = text(part.get("thoughtSignature"))
    if call := obj(part.get("functionCall")):
        return [answer_call(call, signature)]
    if "text" not in part and part.keys() - _SAID_OF_PARTS:  # a picture, code: with its signature
        return [Foreign("gemini", part)]
    said = text(part.get("text"))
    if part.get("thought") is True:
        return [Thinking(said, signature, "gemini")] if said or signature else []
    texts: list[Block] = [TextBlock(said)] if said else []
    return [*texts, Thinking("", signature, "gemini", redacted=True)] if signature else texts


def answer_call(call: Object, signature: str) -> ToolUse:
    call_id = text(call.get("id")) or new_id("call_")
    return ToolUse(call_id, text(call.get("name")), dumps_text(obj(call.get("args"))), signature=signature or None)


def stop_of(candidate: Object, *, called: bool) -> StopReason:
    """Raises `DialectError` 502 where the model has failed to answer."""
    reason = text(candidate.get("finishReason"))
    if reason in _FAILURES:
        why = text(candidate.get("finishMessage"))
        raise DialectError(502, f"The model has given no usable answer ({reason}){': ' + why if why else '.'}"[:2000])
    found = _STOPS.get(reason) if reason and reason != "FINISH_REASON_UNSPECIFIED" else "end_turn"
    if found is None:
        return "refusal"
    return "tool_use" if called and found == "end_turn" else found


# ------------------------------------------------------------------------------------------------------------- building


def build_usage(usage: TokenCounts) -> Object:
    made: Object = {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": max(0, usage.output - usage.reasoning),
        "totalTokenCount": usage.prompt + usage.output,
    }
    if usage.cache_read:
        made["cachedContentTokenCount"] = usage.cache_read
    if usage.reasoning:
        made["thoughtsTokenCount"] = min(usage.reasoning, usage.output)
    return made


def build_answer(response: ModelResponse, asked: ModelRequest) -> Object:
    tools, shown = asked_tools(asked), shows_thoughts(asked.reasoning)
    parts: list[Json] = []
    malformed = ""
    for block in response.content:
        if isinstance(block, ToolUse) and arguments_of(block, tools) is None:
            malformed = malformed_call(block)
        elif (part := client_part(block, tools, shown=shown)) is not None:
            parts.append(part)
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, **finish(response.stop, malformed), "index": 0}],
        "usageMetadata": build_usage(response.usage),
        "modelVersion": asked.model,
        "responseId": answer_id(response.id, "gemini"),
    }


def finish(reason: StopReason, malformed: str) -> Object:
    """`malformed`: a call that cannot be passed on, as its arguments are no object: those of an answer that was cut
    off.
    """
    if not malformed:
        return {"finishReason": STOP_NAMES[reason]}
    name = "MAX_TOKENS" if STOP_NAMES[reason] == "MAX_TOKENS" else MALFORMED
    return {"finishReason": name, "finishMessage": malformed}


def malformed_call(call: ToolUse) -> str:
    return f"Malformed function call: {call.name}({call.arguments})"


def client_part(block: Block, tools: dict[str, ToolDefinition], *, shown: bool) -> Object | None:
    """As a client gets it. shown: it has asked for thoughts. None: has no form here."""
    match block:
        case TextBlock():
            return {"text": block.text} if block.text else None
        case Thinking():
            return _thought(block) if shown or block.origin == "gemini" else None
        case ToolUse():
            return call_part(block, tools)
        case Foreign():
            return block.raw if block.dialect == "gemini" else None
    return None


def _thought(thinking: Thinking) -> Object:
    if thinking.origin == "gemini" and thinking.redacted:
        return {"text": "", "thoughtSignature": thinking.signature}
    made: Object = {"text": thinking.text, "thought": True}
    if thinking.signature:
        made["thoughtSignature"] = client_signature(thinking.signature, thinking.origin)
    return made


def call_part(call: ToolUse, tools: dict[str, ToolDefinition]) -> Object:
    tool = tools.get(call.name)
    named: Object = {"id": call.id, "name": tool.name if tool else call.name}
    made: Object = {"functionCall": {**named, "args": arguments_of(call, tools) or {}}}
    if call.signature:
        made["thoughtSignature"] = call.signature
    return made


def arguments_of(call: ToolUse, tools: dict[str, ToolDefinition]) -> Object | None:
    """None: they are no JSON object."""
    if call.kind == "custom":
        return {ARGUMENT: call.arguments}
    try:
        value = loads(call.arguments or "{}")
    except ValueError:
        return None
    return value if type(value) is dict else None
