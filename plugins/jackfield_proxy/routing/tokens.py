"""How many tokens a request has, estimated on its JSON without a parse into another form: routes ask this of every
request, in any dialect."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.dialects.tokens import PER_IMAGE, PER_TURN, of_text
from jackfield.api.jsontext import Json

_IMAGES = ("image", "image_url", "input_image")  # no set: a client may put anything there
_PARTS = (
    "system", "instructions", "messages", "input", "tools", "systemInstruction", "system_instruction", "contents",
    "generateContentRequest",
)  # fmt: skip
_NO_TEXT = frozenset({
    "signature", "thoughtSignature", "thought_signature", "data", "encrypted_content", "cache_control", "file_data",
})  # fmt: skip


def estimated(body: Mapping[str, Json]) -> int:
    """Of what the model reads: system, turns, tool definitions. At least 1."""
    return max(1, round(_weight([body[part] for part in _PARTS if part in body])))


def _weight(waiting: list[Json]) -> float:
    """Without recursion: how deep a body is nested is its sender's affair. waiting: grows while it is read."""
    total = 0.0
    texts: list[str] = []
    for part in waiting:
        if type(part) is dict:
            if part.get("type") in _IMAGES or "inlineData" in part or "inline_data" in part:
                total += PER_IMAGE
                continue
            for name, inner in part.items():
                if name in _NO_TEXT:
                    continue
                if type(inner) is str:
                    texts.append(inner)
                    continue
                if type(inner) is dict:
                    texts.append(name)
                waiting.append(inner)
        elif type(part) is list:
            total += PER_TURN * len(part)
            waiting += part
        elif type(part) is str:
            texts.append(part)
        elif part is not None:
            total += 1
    return total + of_text("".join(texts))  # as much as one by one, as each character stands alone
