"""`$fromAI('name', 'description', 'type', default)` in the parameters of a tool: what the model has to give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads

_CALL = re.compile(r"\$from(?:AI|Ai|ai)\s*\(")
_TYPES: Mapping[str, Json] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "json": {},
    "object": {"type": "object"},
    "array": {"type": "array"},
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_OPEN, _CLOSE, _QUOTES = "([{", ")]}", "'\"`"


def schema_in(parameters: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of all arguments that the parameters ask for, at any depth. Of a name that comes twice, the first
    counts."""
    fields: dict[str, Json] = {}
    required: list[Json] = []
    for text in _expressions(dict(parameters)):
        for name, schema, optional in _asked(text):
            if name not in fields:
                fields[name] = schema
                if not optional:
                    required.append(name)
    made: dict[str, Json] = {"type": "object", "properties": fields}
    return {**made, "required": required} if required else made


def _expressions(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("=") and _CALL.search(value):
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _expressions(one)
    elif isinstance(value, list):
        for one in value:
            yield from _expressions(one)


def _asked(text: str) -> Iterator[tuple[str, Json, bool]]:
    """Name, schema, and whether there is a default."""
    for match in _CALL.finditer(text):
        given = [_value(part) for part in _arguments(text, match.end())]
        name = given[0] if given else None
        if not isinstance(name, str) or not name:
            continue
        kind = given[2] if len(given) > 2 and isinstance(given[2], str) else "string"
        known = _TYPES.get(kind.lower(), _TYPES["string"])
        schema: dict[str, Json] = dict(known) if isinstance(known, dict) else {}
        if len(given) > 1 and isinstance(given[1], str) and given[1].strip():
            schema["description"] = given[1]
        yield name, schema, len(given) > 3


def _arguments(text: str, start: int) -> list[str]:
    """The source of each argument, from behind the opening parenthesis; nothing when it is never closed."""
    found: list[str] = []
    depth, begin, place = 0, start, start
    while place < len(text):
        char = text[place]
        if char in _QUOTES:
            place = _quoted_end(text, place)
            continue
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            if not depth:
                last = text[begin:place]
                return [*found, last] if last.strip() else found
            depth -= 1
        elif char == "," and not depth:
            found.append(text[begin:place])
            begin = place + 1
        place += 1
    return []


def _quoted_end(text: str, start: int) -> int:
    place = start + 1
    while place < len(text) and text[place] != text[start]:
        place += 2 if text[place] == "\\" else 1
    return place + 1


def _value(source: str) -> Json:
    """The literal's value; None for what is none."""
    text = source.strip()
    if len(text) > 1 and text[0] in _QUOTES and _quoted_end(text, 0) == len(text):
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text[1:-1], flags=re.DOTALL)
    try:
        return loads(text)
    except InvalidInput:
        return None
