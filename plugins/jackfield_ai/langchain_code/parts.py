"""The parts that are attached to a LangChain Code node, as its program asks them: JSON in, JSON out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    LANGUAGE_MODEL,
    MEMORY,
    RETRIEVER,
    TEXT_SPLITTER,
    TOOL,
    VECTOR_STORE,
    Document,
    Message,
)
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield_ai.tools.toolbox import tools_of

Call = Callable[[Any, Json], Awaitable[Json]]
"""A question to the part, by its own protocol of `jackfield.api.ai`, hence Any."""


async def _complete(model: Any, rows: Json) -> Json:
    said = [Message(role, text) for role, text in _pairs(rows)]  # type: ignore[arg-type]  # the library's own words
    answer = await model.complete(said)
    return {"text": answer.message.text, "input": answer.usage.input, "output": answer.usage.output}


def _pairs(rows: Json) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[1])) for row in rows if isinstance(row, list)] if isinstance(rows, list) else []


async def _call(tool: Any, arguments: Json) -> Json:
    found: Json = await tool.call(arguments if isinstance(arguments, dict) else {"input": arguments})
    return found


async def _find(retriever: Any, asked: Json) -> Json:
    query, limit = asked if isinstance(asked, list) and len(asked) == 2 else ("", None)
    found = await retriever.find(str(query), limit if isinstance(limit, int) and limit > 0 else None)
    return [_shown(document) for document in found]


def _shown(document: Document) -> Json:
    return {
        "pageContent": document.text,
        "metadata": dict(document.metadata),
        "score": document.score,
        "id": document.id,
    }


async def _read(memory: Any, _: Json) -> Json:
    return [[message.role, message.text] for message in await memory.read()]


async def _add(memory: Any, said: Json) -> Json:
    if isinstance(said, list) and len(said) == 2:
        await memory.add([Message("user", str(said[0])), Message("assistant", str(said[1]))])
    return None


async def _embed(embeddings: Any, texts: Json) -> Json:
    given = [str(text) for text in texts] if isinstance(texts, list) else []
    return [list(vector) for vector in await embeddings.embed(given)]


async def _load(documents: Any, _: Json) -> Json:
    return [_shown(document) for document in await documents.load()]


async def _split(splitter: Any, text: Json) -> Json:
    return list(await asyncio.to_thread(splitter.split, str(text)))


CALLS: Mapping[str, Mapping[str, Call]] = {
    LANGUAGE_MODEL: {"complete": _complete},
    TOOL: {"call": _call},
    MEMORY: {"read": _read, "add": _add},
    EMBEDDING: {"embed": _embed},
    DOCUMENT: {"load": _load},
    TEXT_SPLITTER: {"split": _split},
    VECTOR_STORE: {"find": _find},
    RETRIEVER: {"find": _find},
}


class AttachedParts:
    """The parts of one run. known: what the program may know of each, by kind of wire."""

    def __init__(self, parts: Mapping[str, list[Any]]) -> None:
        self._parts = parts
        self.known: dict[str, Json] = {
            kind: [_known(kind, part) for part in found] for kind, found in parts.items() if found
        }

    async def answer(self, part: str, method: str, given: Json) -> Json:
        """part: kind and place, such as `ai_tool.0`. Raises `NodeError`."""
        kind, _, place = part.partition(".")
        call = CALLS.get(kind, {}).get(method)
        found = self._parts.get(kind, [])
        if call is None or not place.isdecimal() or int(place) >= len(found):
            raise NodeError(f"The program asked {part[:100]} for {method[:100]}, which is not there.")
        return await call(found[int(place)], given)


def _known(kind: str, part: Any) -> Json:
    if kind == TOOL:
        spec = part.spec
        return {"name": spec.name, "description": spec.description, "schema": dict(spec.schema)}
    return {"name": part.name} if kind == LANGUAGE_MODEL else {}


async def parts_of(run: NodeRun, item: int) -> AttachedParts:
    """Raises `NodeError`."""
    made: dict[str, list[Any]] = {}
    for kind in CALLS:
        made[kind] = (
            list(await tools_of(run, item))
            if kind == TOOL
            else [await part.supply(item) for part in run.attached(kind)]
        )
    return AttachedParts(made)
