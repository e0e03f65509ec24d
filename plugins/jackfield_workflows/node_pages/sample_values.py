"""Parameters of an example: what the form needs, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeType
from jackfield.api.nodes.fields import forms_of
from jackfield.api.nodes.forms import FieldChoice, NodeField
from jackfield.api.nodes.showing import shown_fields

_CHOOSING = ("resource", "operation")
_ROUNDS = 6


def sample_parameters(node_type: NodeType, version: float, given: Mapping[str, Json]) -> dict[str, Json]:
    """The given ones, resource and operation, and a value for each field that is marked as needed and has none."""
    fields = newest_fields(node_type, version)
    made: dict[str, Json] = {}
    # A value shows further fields; each round adds those of one level, or one choice that decides about others.
    for _ in range(_ROUNDS):
        values = {**{one.name: one.default for one in fields if one.default is not None}, **made, **given}
        for field in shown_fields(fields, values, values, version):
            if field.name in made or field.name in given:
                continue
            if field.name in _CHOOSING and field.choices:
                made[field.name] = _chosen(field)
                break
            if field.required and field.default in (None, ""):
                made[field.name] = _sample(field)
    return {**made, **given}


def newest_fields(node_type: NodeType, version: float) -> Sequence[NodeField]:
    """The form of this version, else of one without."""
    forms = forms_of(node_type)
    return next((form.fields for form in forms if version in form.versions), forms[0].fields if forms else ())


def _chosen(field: NodeField) -> Json:
    """The default where it can run, else the first choice that can."""
    runs = [choice.value for choice in field.choices if not choice.unavailable]
    if field.default in runs or not runs:
        return field.default if field.default not in (None, "") else field.choices[0].value
    return runs[0]


def _sample(field: NodeField) -> Json:
    value: Json
    match field.control:
        case "locator":
            modes = [mode["name"] for mode in field.options.get("modes") or () if isinstance(mode, dict)]  # type: ignore[union-attr]
            mode = "id" if "id" in modes or not modes else str(modes[-1])
            value = {"__rl": True, "mode": mode, "value": _text(field, mode)}
        case "number":
            value = 1
        case "switch":
            value = True
        case "json":
            value = "{}"
        case "select" | "multiselect" if field.choices:
            value = _first(field.choices)
            value = [value] if field.control == "multiselect" else value
        case "collection" | "fixedCollection" | "assignments" | "filter" | "mapper":
            value = field.default if field.default is not None else {}
        case "date":
            value = "2026-01-31T09:00:00"
        case _:
            value = _text(field, "")
    return [value] if field.multiple and field.control == "text" else value


def _first(choices: Sequence[FieldChoice]) -> Json:
    return next((choice.value for choice in choices if not choice.unavailable), choices[0].value)


def _text(field: NodeField, mode: str) -> str:
    if mode == "url" or "url" in field.name.lower():
        return "https://example.com/1"
    if "email" in field.name.lower():
        return "ada@example.com"
    return field.placeholder.removeprefix("e.g. ") or "1"
