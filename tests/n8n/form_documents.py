"""Documents that the forms of nodes can write: every field that is shown gets a value that its control gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.showing import shown_fields
from jackfield_vendors.node import VendorNode

ROUNDS = 10
DEEPEST = 4
COLUMN: Json = {
    "id": "a",
    "displayName": "a",
    "required": False,
    "defaultMatch": False,
    "display": True,
    "type": "string",
    "canBeUsedToMatch": True,
}
PLAIN: Mapping[str, Json] = {
    "json": '{"a":1}',
    "date": "2024-01-02T00:00:00",
    "color": "#123456",
    "mapper": {"mappingMode": "defineBelow", "value": {"a": "1"}, "matchingColumns": ["a"], "schema": [COLUMN]},
}


def documents(node: VendorNode) -> Iterator[tuple[float, dict[str, Json]]]:
    """Version and parameters: for each operation of the oldest and the newest version one with the choices at their
    defaults, and one with other choices."""
    for version in sorted({node.versions[0], node.versions[-1]}):
        model: Any = node.parameters(version)
        places = dict.fromkeys((one.described.resource, one.described.operation) for one in model.forms)
        for resource, operation in places:
            named = {"resource": resource, "operation": operation}
            chosen: dict[str, Json] = {name: value for name, value in named.items() if value}
            for choose in (False, True):
                yield version, Writer(node.form(version), version).written(chosen, choose=choose)


class Writer:
    def __init__(self, fields: Sequence[NodeField], version: float) -> None:
        self._fields = fields
        self._version = version

    def written(self, chosen: Mapping[str, Json], *, choose: bool) -> dict[str, Json]:
        """choose: whether selects and switches have another value than their default."""
        values = dict(chosen)
        if choose:
            for field in self._shown(self._fields, values, None):
                if field.control in ("select", "switch") and field.name not in chosen:
                    values[field.name] = self._value(field, {}, 0)
        top = self._filled(self._fields, values, None)
        for field in self._shown(self._fields, top, None):
            if field.name not in values and (choose or field.control not in ("select", "switch")):
                values[field.name] = self._value(field, top, 0)
        return self._consistent(self._fields, values, None, chosen)

    def _shown(
        self, fields: Sequence[NodeField], values: Mapping[str, Json], top: Mapping[str, Json] | None
    ) -> list[NodeField]:
        known = self._filled(fields, values, top)
        found = shown_fields(fields, known, known if top is None else top, self._version)
        return [field for field in found if field.control != "hidden"]

    def _filled(
        self, fields: Sequence[NodeField], values: Mapping[str, Json], top: Mapping[str, Json] | None
    ) -> dict[str, Json]:
        known = dict(values)
        for _ in range(ROUNDS):
            shown = shown_fields(fields, known, known if top is None else top, self._version)
            made = {one.name: one.default for one in shown if one.default is not None} | dict(values)
            if made == known:
                break
            known = made
        return known

    def _consistent(
        self,
        fields: Sequence[NodeField],
        values: dict[str, Json],
        top: Mapping[str, Json] | None,
        kept: Mapping[str, Json],
    ) -> dict[str, Json]:
        """Without what the other values hide."""
        for _ in range(ROUNDS):
            names = {field.name for field in self._shown(fields, values, top)} | set(kept)
            left = {name: value for name, value in values.items() if name in names}
            if left == values:
                break
            values = left
        return values

    def _value(self, field: NodeField, top: Mapping[str, Json], depth: int) -> Json:
        if field.control in ("collection", "fixedCollection"):
            return self._structured(field, top, depth)
        if field.control == "select":
            others = [one.value for one in field.choices if one.value != field.default]
            return others[0] if others else field.default if field.choices else "x"
        if field.control == "multiselect":
            return [field.choices[0].value if field.choices else "x"]
        if field.control == "number":
            return field.default + 1 if isinstance(field.default, int) else 1
        if field.control == "switch":
            return not field.default
        if field.control == "locator":
            modes: Any = field.options["modes"]
            return {"__rl": True, "mode": modes[-1]["name"], "value": "x"}
        return PLAIN.get(field.control, ["x"] if field.multiple else "x")

    def _structured(self, field: NodeField, top: Mapping[str, Json], depth: int) -> Json:
        if depth >= DEEPEST:
            return {}
        if field.control == "collection":
            row = self._row(field.fields, top, depth)
            return [row] if field.multiple else row
        rows = {group.name: self._row(group.fields, top, depth) for group in field.groups}
        return {name: [row] if field.multiple else row for name, row in rows.items()}

    def _row(self, fields: Sequence[NodeField], top: Mapping[str, Json], depth: int) -> Json:
        shown = self._shown(fields, {}, top)
        return self._consistent(fields, {one.name: self._value(one, top, depth + 1) for one in shown}, top, {})
