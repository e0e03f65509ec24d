"""The attributes of a request that conditions may know, read off its JSON body in any of the dialects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.proxy import RequestAttributes
from jackfield_proxy.routing.tokens import estimated

__all__ = ["RequestAttributes", "attributes_of", "told"]

_IMAGES = ("image", "image_url", "input_image")  # no set: a client may put anything there
_CONTENTS = ("messages", "input", "contents")
_INNER = ("content", "output", "parts")
_MEDIA = frozenset({"inlineData", "inline_data", "fileData", "file_data"})
_SEARCHES = ("googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval")
_IMAGE, _ESCAPE, _ESCAPED = b"image", b"\\", b"\\u"
_ANYTHING = _IMAGE
_SECRET = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization"})


def attributes_of(
    body: Mapping[str, Json],
    headers: Mapping[str, str],
    minute: int,
    session: str = "",
    path: str = "",
    dialect: str = "",
    model: str = "",
    sent: bytes = _ANYTHING,
) -> RequestAttributes:
    """`headers`: lower-case names. `model`: where the body does not name it. `sent`: the body as it came, which shows
    at a glance that there is no image.
    """
    tools = body.get("tools")
    listed = [one for tool in tools if isinstance(tool, dict) for one in _each(tool)] if isinstance(tools, list) else []
    named = model or body.get("model")
    return RequestAttributes(
        model=named if isinstance(named, str) else "",
        tokens=estimated(body),
        tools=len(listed),
        thinking=_thinks(body),
        image=_may_have_image(sent) and any(map(_is_image, _blocks(body))),
        web_search="web_search_options" in body or any(_searches(tool) for tool in listed),
        headers=headers,
        minute=minute,
        session=session,
        path=path,
        dialect=dialect,
    )


def _thinks(body: Mapping[str, Json]) -> bool:
    generation = body.get("generationConfig", body.get("generation_config"))  # Gemini's
    if isinstance(generation, dict):
        config = generation.get("thinkingConfig", generation.get("thinking_config"))
        return isinstance(config, dict) and config.get("thinkingBudget", config.get("thinking_budget")) != 0
    thinking, reasoning = body.get("thinking"), body.get("reasoning")
    if isinstance(thinking, dict) and thinking.get("type") != "disabled":
        return True
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else body.get("reasoning_effort")
    return effort not in (None, "none", "minimal")


def _each(tool: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """Of Gemini's lists of functions each of them, of other tools the tool."""
    functions = tool.get("functionDeclarations", tool.get("function_declarations"))
    if not isinstance(functions, list):
        return (tool,)
    return [
        *(one for one in functions if isinstance(one, dict)),
        *({name: value} for name, value in tool.items() if value is not functions),
    ]


def _searches(tool: Mapping[str, Json]) -> bool:
    if str(tool.get("type", "")).startswith("web_search"):
        return True
    for name in _SEARCHES:  # noqa: SIM110 - a set that walks through a tool, or a generator, costs several times as much
        if name in tool:
            return True
    return False


def _may_have_image(sent: bytes) -> bool:
    """Types and media types of all dialects have the word, unless it is escaped."""
    return _IMAGE in sent or (_ESCAPE in sent and _ESCAPED in sent)


def _is_image(block: Mapping[str, Json]) -> bool:
    if _MEDIA.isdisjoint(block):
        return block.get("type") in _IMAGES
    media = next(value for name, value in block.items() if name in _MEDIA)
    return isinstance(media, dict) and str(media.get("mimeType", media.get("mime_type"))).startswith("image/")


def _blocks(body: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Turns, content blocks of every turn, and those inside tool results."""
    found: list[Mapping[str, Json]] = []
    for name in _CONTENTS:
        turns = _objects(body.get(name))
        found += turns
        for turn in turns:
            for part in _INNER:
                blocks = _objects(turn.get(part))
                found += blocks
                for block in blocks:
                    if "content" in block:
                        found += _objects(block["content"])
    return found


def _objects(value: Json) -> list[Mapping[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def told(attributes: RequestAttributes) -> dict[str, Json]:
    """The attributes as a condition script gets them, under `request`."""
    return {
        "model": attributes.model,
        "tokens": attributes.tokens,
        "tools": attributes.tools,
        "thinking": attributes.thinking,
        "image": attributes.image,
        "web_search": attributes.web_search,
        "background": attributes.background,
        "path": attributes.path,
        "dialect": attributes.dialect,
        "minute": attributes.minute,
        "headers": {name: value for name, value in attributes.headers.items() if name not in _SECRET},
    }
