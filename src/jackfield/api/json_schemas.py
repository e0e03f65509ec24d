"""JSON Schema as far as models, parsers and tools need it: made from an example, and checked against values.

Checked are type, enum, const, properties, required, additionalProperties, items, the limits on sizes and numbers,
pattern-less texts, anyOf, oneOf and allOf. Other keywords only inform the model. Source: JSON Schema 2020-12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from .jsontext import Json, dumps

MAX_PROBLEMS = 10
_MAX_DEPTH = 64
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def schema_of(example: Json, *, required: bool) -> dict[str, Json]:
    """The schema of what looks like the example. required: all of its fields must be there."""
    if isinstance(example, dict):
        made: dict[str, Json] = {
            "type": "object",
            "properties": {name: schema_of(value, required=required) for name, value in example.items()},
        }
        if required and example:
            made["required"] = list(example)
        return made
    if isinstance(example, list):
        return {"type": "array", "items": schema_of(example[0], required=required)} if example else {"type": "array"}
    if isinstance(example, bool):
        return {"type": "boolean"}
    if isinstance(example, int | float):
        return {"type": "number"}
    return {"type": "string"} if isinstance(example, str) else {}


def problems(value: Json, schema: Json) -> list[str]:
    """The parts that do not fit, each with its path; at most ten."""
    return list(islice(_problems(value, schema, "", 0), MAX_PROBLEMS))


def _problems(value: Json, schema: Json, path: str, depth: int) -> Iterator[str]:
    if schema is False:
        yield f"{path or 'the value'} must not be there"
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    wrong = _type_problem(value, schema.get("type"))
    if wrong:
        yield f"{path or 'the value'} must be {wrong}"
        return
    if isinstance(enum := schema.get("enum"), list) and not any(_same(value, one) for one in enum):
        yield f"{path or 'the value'} must be one of {', '.join(map(_shown, enum[:20]))}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{path or 'the value'} must be {_shown(schema['const'])}"
    yield from _limits(value, schema, path)
    if isinstance(value, dict):
        yield from _fields(value, schema, path, depth)
    if isinstance(value, list) and "items" in schema:
        for index, one in enumerate(value):
            yield from _problems(one, schema["items"], f"{path}[{index}]", depth + 1)
    yield from _combined(value, schema, path, depth)


def _type_problem(value: Json, wanted: Json) -> str | None:
    """None when it fits, or when no known type is named."""
    names = [name for name in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(name, str)]
    known = [name for name in names if name in _TYPES]
    if not known or any(_is(value, name) for name in known):
        return None
    return " or ".join(("an " if name[0] in "aio" else "a ") + name if name != "null" else name for name in known)


def _is(value: Json, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _same(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _shown(value: Json) -> str:
    return dumps(value).decode()[:100]


def _limits(value: Json, schema: Mapping[str, Json], path: str) -> Iterator[str]:
    what = path or "the value"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if (low := _number(schema.get("minimum"))) is not None and value < low:
            yield f"{what} must be at least {low:g}"
        if (high := _number(schema.get("maximum"))) is not None and value > high:
            yield f"{what} must be at most {high:g}"
        return
    if not isinstance(value, str | list):
        return
    least, most = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
    unit = "characters" if isinstance(value, str) else "elements"
    if (low := _number(schema.get(least))) is not None and len(value) < low:
        yield f"{what} must have at least {low:g} {unit}"
    if (high := _number(schema.get(most))) is not None and len(value) > high:
        yield f"{what} must have at most {high:g} {unit}"


def _number(value: Json) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fields(value: dict[str, Json], schema: Mapping[str, Json], path: str, depth: int) -> Iterator[str]:
    described = schema.get("properties")
    known = described if isinstance(described, dict) else {}
    needed = schema.get("required")
    for name in needed if isinstance(needed, list) else ():
        if isinstance(name, str) and name not in value:
            yield f"{_below(path, name)} is missing"
    more = schema.get("additionalProperties", True)
    for name, one in value.items():
        if name in known:
            yield from _problems(one, known[name], _below(path, name), depth + 1)
        elif more is False:
            yield f"{_below(path, name)} must not be there"
        else:
            yield from _problems(one, more, _below(path, name), depth + 1)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _combined(value: Json, schema: Mapping[str, Json], path: str, depth: int) -> Iterator[str]:
    if isinstance(every := schema.get("allOf"), list):
        for one in every:
            yield from _problems(value, one, path, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        choices = schema.get(keyword)
        if not isinstance(choices, list) or not choices:
            continue
        fitting = sum(1 for one in choices if next(_problems(value, one, path, depth + 1), None) is None)
        if not fitting or (keyword == "oneOf" and fitting > 1):
            yield f"{path or 'the value'} must fit {'one' if keyword == 'anyOf' else 'exactly one'} of the alternatives"
