"""What conditions may know of a request, read off its JSON body in any of the three dialects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.proxy import RequestAttributes
from jackfield_proxy.routing.tokens import estimated

__all__ = ["RequestAttributes", "attributes_of", "told"]

_IMAGES = ("image", "image_url", "input_image")  # no set: a client may put anything there
_CONTENTS = ("messages", "input")
_SECRET = frozenset({"authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"})


def attributes_of(
    body: Mapping[str, Json],
    headers: Mapping[str, str],
    minute: int,
    session: str = "",
    path: str = "",
    dialect: str = "",
) -> RequestAttributes:
    """headers: lower-case names."""
    tools = body.get("tools")
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    model = body.get("model")
    return RequestAttributes(
        model=model if isinstance(model, str) else "",
        tokens=estimated(body),
        tools=len(listed),
        thinking=_thinks(body),
        image=any(block.get("type") in _IMAGES for block in _blocks(body)),
        web_search="web_search_options" in body or any(_searches(tool) for tool in listed),
        headers=headers,
        minute=minute,
        session=session,
        path=path,
        dialect=dialect,
    )


def _thinks(body: Mapping[str, Json]) -> bool:
    thinking, reasoning = body.get("thinking"), body.get("reasoning")
    if isinstance(thinking, dict) and thinking.get("type") != "disabled":
        return True
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else body.get("reasoning_effort")
    return effort not in (None, "none", "minimal")


def _searches(tool: Mapping[str, Json]) -> bool:
    return str(tool.get("type", "")).startswith("web_search")


def _blocks(body: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Content blocks of every turn, and those inside tool results."""
    for name in _CONTENTS:
        turns = body.get(name)
        for turn in turns if isinstance(turns, list) else ():
            if isinstance(turn, dict):
                yield turn
                yield from _inner(turn.get("content"))
                yield from _inner(turn.get("output"))


def _inner(content: Json) -> Iterator[Mapping[str, Json]]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            yield block
            nested = block.get("content")
            yield from (one for one in nested if isinstance(one, dict)) if isinstance(nested, list) else ()


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
