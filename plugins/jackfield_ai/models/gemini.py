"""The wire format of Google's Gemini (generateContent)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import Completion, Message, ModelUsage, Picture, ToolSpec
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.reading import at, count_at, list_at, text_at, tool_call

_KEPT = ("description", "enum", "format", "maxItems", "maximum", "minItems", "minimum", "nullable", "required")
_FORMATS = ("date-time", "double", "enum", "float", "int32", "int64")
"""What Gemini knows of JSON Schema; anything else makes it refuse the request."""
_MAX_DEPTH = 32


class GeminiModel:
    """`ChatModel`. generation: members of `generationConfig`; safety: of `safetySettings`."""

    def __init__(
        self, client: ProviderClient, name: str, generation: Mapping[str, Json], safety: Sequence[Json] = ()
    ) -> None:
        self._client = client
        self.name = name
        self._generation = generation
        self._safety = safety

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        generation = dict(self._generation)
        if json and not tools:
            generation["responseMimeType"] = "application/json"
        body: dict[str, Json] = {"contents": contents_of(messages), "generationConfig": generation}
        system = "\n\n".join(one.text for one in messages if one.role == "system" and one.text)
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if tools:
            body["tools"] = [{"functionDeclarations": [_function(one) for one in tools]}]
        if self._safety:
            body["safetySettings"] = list(self._safety)
        base = (await self._client.values()).get("host", "")
        name = self.name if self.name.startswith(("models/", "tunedModels/")) else f"models/{self.name}"
        answer = await self._client.post(joined(base, f"/v1beta/{name}:generateContent"), body)
        return completion_of(answer, self._client.title)


def contents_of(messages: Sequence[Message]) -> list[Json]:
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        if message.role == "system":
            continue
        role, parts = "model" if message.role == "assistant" else "user", _parts(message)
        if not parts:
            continue
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    return [{"role": role, "parts": parts} for role, parts in turns]


def _parts(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"functionResponse": {"name": message.name, "response": {"result": message.text}}}]
    if isinstance(message.own, list):
        return list(message.own)
    made: list[Json] = [{"text": message.text}] if message.text else []
    made += [_picture(one) for one in message.pictures]
    made += [{"functionCall": {"name": call.name, "args": dict(call.arguments)}} for call in message.calls]
    return made


def _picture(picture: Picture) -> Json:
    if picture.url:
        raise NodeError("Gemini takes images as files, not as addresses; fetch the image with an HTTP Request before.")
    return {"inlineData": {"mimeType": picture.media_type, "data": picture.data}}


def _function(tool: ToolSpec) -> Json:
    made: dict[str, Json] = {"name": tool.name, "description": tool.description}
    if tool.schema.get("properties"):
        made["parameters"] = schema_of(dict(tool.schema))
    return made


def schema_of(schema: Json, depth: int = 0) -> Json:
    """The part of a JSON Schema that Gemini knows."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return {"type": "string"}
    made: dict[str, Json] = {name: schema[name] for name in _KEPT if name in schema}
    if made.get("format") not in _FORMATS:
        made.pop("format", None)
    kind = schema.get("type")
    if isinstance(kind, list):
        if "null" in kind:
            made["nullable"] = True
        kind = next((one for one in kind if one != "null"), "string")
    choices = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(choices, list) and choices:
        made["anyOf"] = [schema_of(one, depth + 1) for one in choices]
    elif isinstance(kind, str):
        made["type"] = kind
    elif "enum" in made:
        made["type"] = "string"
    else:
        made["type"] = "object" if "properties" in schema else "array" if "items" in schema else "string"
    if isinstance(rows := schema.get("properties"), dict):
        made["properties"] = {name: schema_of(one, depth + 1) for name, one in rows.items()}
    if made.get("type") == "array":
        made["items"] = schema_of(schema.get("items", {"type": "string"}), depth + 1)
    if isinstance(enum := made.get("enum"), list):
        made["enum"] = [one if isinstance(one, str) else dumps(one).decode() for one in enum]
    return made


def completion_of(answer: dict[str, Json], title: str) -> Completion:
    usage = ModelUsage(
        count_at(answer, "usageMetadata", "promptTokenCount"),
        count_at(answer, "usageMetadata", "candidatesTokenCount")
        + count_at(answer, "usageMetadata", "thoughtsTokenCount"),
    )
    model, blocked = text_at(answer, "modelVersion"), text_at(answer, "promptFeedback", "blockReason")
    candidate = at(answer, "candidates", 0)
    if candidate is None:
        if not blocked:
            raise NodeError(f"{title} answered without a candidate.")
        told = f"The prompt was blocked ({blocked})."
        return Completion(Message("assistant"), usage, "content_filter", model, told, answer)
    parts = list_at(candidate, "content", "parts")
    text = "".join(text_at(part, "text") for part in parts if at(part, "thought") is not True)
    calls = [
        tool_call(text_at(part, "functionCall", "id") or f"call_{place}", text_at(part, "functionCall", "name"), args)
        for place, part in enumerate(parts)
        if isinstance(part, dict) and "functionCall" in part
        for args in [at(part, "functionCall", "args")]
    ]
    reason = text_at(candidate, "finishReason")
    finish = {"STOP": "stop", "MAX_TOKENS": "length", "": "stop"}.get(reason, reason.lower())
    refused = "" if text or calls or finish in ("stop", "length") else f"The model gave no answer ({reason})."
    return Completion(Message("assistant", text, calls=calls, own=parts), usage, finish, model, refused, answer)
