"""Reading JSON that an agent has written: what is not as expected counts as absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.jsontext import Json


def text(value: Mapping[str, Json], name: str) -> str:
    """Empty where there is none."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def number(value: Mapping[str, Json], name: str) -> int | None:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def mapping(value: Mapping[str, Json], *names: str) -> Mapping[str, Json]:
    """The object at the end of this path; empty where there is none."""
    for name in names:
        found = value.get(name)
        value = found if isinstance(found, dict) else {}
    return value


def objects(value: Mapping[str, Json], name: str) -> Sequence[Mapping[str, Json]]:
    """The objects in a list."""
    found = value.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def texts(value: Json) -> str:
    """All the text in the content of a message or a tool's result, in whichever form: a text, blocks, or blocks inside
    of blocks. Of other blocks the type is named."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part for part in map(texts, value) if part)
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            return text(value, "text")
        inner = value.get("content")
        return f"[{text(value, 'type') or 'object'}]" if inner is None else texts(inner)
    return "" if value is None else jsontext.dumps(value).decode()
