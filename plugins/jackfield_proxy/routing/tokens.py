"""How many tokens a request has, estimated on its JSON without a parse into another form: routes ask this of every
request, in any dialect."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.dialects.tokens import CHARACTERS, PER_IMAGE, PER_TURN, of_text
from jackfield.api.jsontext import Json

_IMAGES = ("image", "image_url", "input_image")  # no set: a client may put anything there
_PARTS = (
    "system", "instructions", "messages", "input", "tools", "systemInstruction", "system_instruction", "contents",
    "generateContentRequest",
)  # fmt: skip
_INLINE = frozenset({"inlineData", "inline_data"})
_NO_TEXT = frozenset({
    "signature", "thoughtSignature", "thought_signature", "data", "encrypted_content", "cache_control", "file_data",
})  # fmt: skip


def estimated(body: Mapping[str, Json]) -> int:
    """Of what the model reads: system, turns, tool definitions. At least 1."""
    return max(1, round(_weight([body[part] for part in _PARTS if part in body])))


def _weight(waiting: list[Json]) -> float:
    """Without recursion: how deep a body is nested is its sender's affair. waiting: is used up."""
    total, characters = 0.0, 0
    while waiting:
        part = waiting.pop()
        if type(part) is str:
            if part.isascii():
                characters += len(part)
            else:
                total += of_text(part)
        elif type(part) is dict:
            if part.get("type") in _IMAGES or not _INLINE.isdisjoint(part):
                total += PER_IMAGE
                continue
            for name, inner in part.items():
                if name in _NO_TEXT:
                    continue
                if type(inner) is str and inner.isascii():
                    characters += len(inner)
                    continue
                if type(inner) is dict:
                    total += of_text(name)
                waiting.append(inner)
        elif type(part) is list:
            total += PER_TURN * len(part)
            waiting += part
        elif part is not None:
            total += 1
    return total + characters / CHARACTERS
