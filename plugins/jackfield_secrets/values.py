"""The values inside a secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json, loads


def inside(secret: Json, fields: Sequence[str]) -> Json:
    """The value at the end of the way. A text with fields is the text of a JSON object. Raises KeyError with the name
    that is not there."""
    found = secret
    for name in fields:
        if isinstance(found, str):
            found = _parsed(found)
        if not isinstance(found, dict) or name not in found:
            raise KeyError(name)
        found = found[name]
    return found


def as_text(value: Json) -> str:
    """As a field of a credential has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else dumps(value).decode()


def texts_in(value: Json) -> Iterator[str]:
    """Each text in it, to be hidden."""
    waiting: list[Json] = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
        elif isinstance(found, str):
            yield found


def _parsed(text: str) -> Json:
    try:
        return loads(text)
    except InvalidInput:
        return None
