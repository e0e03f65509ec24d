"""Reading what providers answer, which may be anything."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.ai import ToolCall
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads


def text_at(value: Json, *path: str | int) -> str:
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: Json, *path: str | int) -> int:
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def list_at(value: Json, *path: str | int) -> list[Json]:
    found = at(value, *path)
    return found if isinstance(found, list) else []


def at(value: Json, *path: str | int) -> Json:
    """The value that is there, or nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def tool_call(ident: str, name: str, arguments: Json) -> ToolCall:
    """A call as the model wrote it: its arguments are an object, or the text of one. The answer to the call tells the
    model when they are neither."""
    found: Json = arguments
    if isinstance(arguments, str):
        try:
            found = loads(arguments) if arguments.strip() else {}
        except InvalidInput as exc:
            reason = (exc.details or {}).get("body", exc.message)
            return ToolCall(ident, name, {}, f"The arguments are not valid JSON: {reason}.")
    if found is None:
        found = {}
    if not isinstance(found, Mapping):
        return ToolCall(ident, name, {}, "The arguments must be a JSON object.")
    return ToolCall(ident, name, found)
