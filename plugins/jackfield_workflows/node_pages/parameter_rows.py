"""The fields of a form as rows of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import FieldChoice, NodeField, When

MOST_CHOICES = 40
MOST_DEFAULT = 60
"""Characters of a default that are shown."""
TYPES: Mapping[str, str] = {
    "textarea": "text",
    "collection": "options",
    "fixedCollection": "rows",
    "multiselect": "choices",
    "select": "choice",
    "switch": "true or false",
    "secret": "secret text",
    "json": "JSON",
    "locator": "choice or ID",
    "mapper": "columns",
}
"""Control -> the word for what it holds, where it is another one."""
_LEFT_OUT = frozenset(("notice", "hidden"))


def parameter_table(fields: Sequence[NodeField]) -> str:
    """A table in Markdown; rows inside of others have their path."""
    lines = ["| Parameter | Type | Default | Meaning |", "| --- | --- | --- | --- |"]
    seen: set[str] = set()
    for line in _rows(fields, ""):
        if line not in seen:
            seen.add(line)
            lines.append(line)
    return "\n".join(lines)


def _rows(fields: Sequence[NodeField], path: str) -> Iterator[str]:
    for field in fields:
        if field.control in _LEFT_OUT:
            continue
        star = " (needed)" if field.required else ""
        yield f"| `{path}{field.name}`{star} | {_type(field)} | {_default(field.default)} | {_meaning(field)} |"
        yield from _rows(field.fields, f"{path}{field.name}.")
        for group in field.groups:
            yield from _rows(group.fields, f"{path}{field.name}.{group.name}.")


def _type(field: NodeField) -> str:
    word = TYPES.get(field.control, field.control)
    if field.load is not None and field.control != "locator":
        word = "choice of the service's list"
    return f"{word}, several" if field.multiple else word


def _default(value: Json) -> str:
    if value is None or value in ("", {}, []):
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _code(text if len(text) <= MOST_DEFAULT else text[:MOST_DEFAULT] + " ...")


def _meaning(field: NodeField) -> str:
    parts = [f"{_cell(field.label)}."]
    if field.help:
        parts.append(_cell(field.help))
    if choices := [one for one in field.choices if not one.unavailable]:
        parts.append(f"One of {_choices(choices)}.")
    if idle := [one for one in field.choices if one.unavailable]:
        told = "; ".join(f"{_value(one.value)} ({_cell(one.unavailable)})" for one in idle)
        parts.append(f"Cannot run: {told}.")
    if field.when is not None:
        parts.append(f"Shown {_when(field.when)}.")
    return " ".join(parts)


def _choices(choices: Sequence[FieldChoice]) -> str:
    told = ", ".join(_value(one.value) for one in choices[:MOST_CHOICES])
    more = len(choices) - MOST_CHOICES
    return f"{told} and {more} more" if more > 0 else told


def _when(when: When) -> str:
    shown = [f"with {_code(name)} {_values(values)}" for name, values in when.show.items()]
    hidden = [f"unless {_code(name)} is {_values(values)}" for name, values in when.hide.items()]
    return ", ".join([*shown, *hidden])


def _values(values: Sequence[Json]) -> str:
    told = " or ".join(_value(one) for one in values[:MOST_CHOICES])
    return told if len(values) <= MOST_CHOICES else f"{told} or one of {len(values) - MOST_CHOICES} more"


def _value(value: Json) -> str:
    if value == "":
        return "empty"
    return _code(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _code(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
