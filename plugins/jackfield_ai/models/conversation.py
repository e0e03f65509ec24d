"""A conversation of a node in the form of `jackfield.api.dialects`, and an answer back from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api import dialects
from jackfield.api.ai import Completion, Message, ModelUsage, Picture, ToolSpec
from jackfield.api.dialects.model import (
    Block,
    ChatTurn,
    DialectError,
    DialectName,
    ImageBlock,
    ModelRequest,
    ModelResponse,
    OutputFormat,
    StopReason,
    TextBlock,
    ToolDefinition,
    ToolResult,
    ToolUse,
)
from jackfield.api.jsontext import Json, dumps
from jackfield.api.records import replace
from jackfield_ai.reading import list_at, text_at, tool_call

FINISHES: Mapping[StopReason, str] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""As `Completion.finish` has them; other reasons keep their own name."""
_OWN: Mapping[DialectName, Sequence[str | int]] = {
    "anthropic": ("content",),
    "gemini": ("candidates", 0, "content", "parts"),
}
"""Where answers have what their provider wants back as it was."""


def request_of(
    dialect: DialectName,
    model: str,
    messages: Sequence[Message],
    members: Mapping[str, Json],
    *,
    tools: Sequence[ToolSpec] = (),
    json: bool = False,
) -> ModelRequest:
    """members: of the request's body, as this dialect has them; json: the answer should be a JSON object."""
    return ModelRequest(
        dialect,
        model,
        system=tuple(TextBlock(one.text) for one in messages if one.role == "system" and one.text),
        turns=tuple(_turn(one, dialect) for one in messages if one.role != "system"),
        tools=tuple(
            ToolDefinition(one.name, one.description or None, dict(one.schema), dialect=dialect) for one in tools
        ),
        format=OutputFormat("json_object") if json else None,
        extra=dict(members),
    )


def _turn(message: Message, dialect: DialectName) -> ChatTurn:
    if message.role == "tool":
        return ChatTurn("user", (ToolResult(message.call_id, (TextBlock(message.text),)),))
    if message.role == "assistant":
        return ChatTurn("assistant", own_blocks(message, dialect) or tuple(_said(message)))
    pictures = tuple(_picture(one) for one in message.pictures)
    text = (TextBlock(message.text),) if message.text.strip() else ()
    # Anthropic's models see a picture best before the question, OpenAI's examples have it after.
    return ChatTurn("user", (*pictures, *text) if dialect == "anthropic" else (*text, *pictures))


def _said(message: Message) -> Iterator[Block]:
    if message.text.strip():
        yield TextBlock(message.text)
    for call in message.calls:
        yield ToolUse(call.id, call.name, dumps(call.arguments).decode())


def own_blocks(message: Message, dialect: DialectName) -> tuple[Block, ...]:
    """The provider's earlier answers, word for word: it wants its thoughts back signed. Empty: there is nothing."""
    if dialect not in _OWN or not isinstance(message.own, list):
        return ()
    whole: Json = {"content": message.own}
    if dialect == "gemini":
        whole = {"candidates": [{"content": {"parts": message.own}}]}
    try:
        found = dialects.of(dialect).parse_response(dumps(whole)).content
    except DialectError:
        return ()
    ids = iter([call.id for call in message.calls])  # Gemini's have none
    return tuple(replace(one, id=next(ids, one.id)) if isinstance(one, ToolUse) else one for one in found)


def _picture(picture: Picture) -> ImageBlock:
    return ImageBlock(picture.media_type, picture.data, picture.url, detail=picture.detail or None)


def completion_of(dialect: DialectName, found: ModelResponse, raw: dict[str, Json]) -> Completion:
    """raw: the whole answer, of which `found` was read."""
    texts = [block for block in found.content if isinstance(block, TextBlock)]
    text = "".join(block.text for block in texts if not block.refusal)
    calls = [tool_call(one.id, one.name, one.arguments) for one in found.content if isinstance(one, ToolUse)]
    refusal = "".join(block.text for block in texts if block.refusal)
    if dialect == "anthropic" and found.stop == "refusal":
        refusal = refusal or text or "The model declined to answer."
    if dialect == "gemini" and found.stop == "refusal" and not (text or calls):
        refusal = f"The model gave no answer ({text_at(raw, 'candidates', 0, 'finishReason')})."
    return Completion(
        Message("assistant", text, calls=calls, own=list_at(raw, *_OWN[dialect]) if dialect in _OWN else None),
        ModelUsage(found.usage.prompt, found.usage.output),
        FINISHES.get(found.stop, found.stop),
        found.model,
        refusal,
        raw,
    )
