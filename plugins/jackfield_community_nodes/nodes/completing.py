"""Parameters as n8n's engine has them before a node runs: with defaults of what is shown, without what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.needs import EMPTY
from jackfield.api.nodes.showing import is_shown

_PASSES = 6
"""Fields may show others that stand before them; no chain of n8n's is longer."""
_EMPTY_DEFAULTS: Mapping[str, Json] = {"collection": {}, "fixedCollection": {}}


class ParameterCompletion:
    """Of one version of a node type."""

    def __init__(self, fields: Sequence[NodeField], version: float) -> None:
        self._fields = fields
        self._version = version
        self._names = {field.name for field in fields}

    def completed(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Keys that no field has stay."""
        values = self._level(self._fields, given, None)
        return {**{name: value for name, value in given.items() if name not in self._names}, **values}

    def _level(
        self, fields: Sequence[NodeField], given: Mapping[str, Json], top: Mapping[str, Json] | None
    ) -> dict[str, Json]:
        """top: of the whole node; None: this level is it."""
        values: dict[str, Json] = {}
        for _ in range(_PASSES):
            seen, values = values, {}
            for field in fields:
                if field.control == "notice" or field.name in values:
                    continue
                here = {**seen, **values}
                if is_shown(field.when, here, here if top is None else top, self._version):
                    value = given[field.name] if field.name in given else _default(field)
                    if value is not None or field.name in given:
                        values[field.name] = value
            if values == seen:
                break
        whole = values if top is None else top
        return {
            name: self._inside(self._field(fields, name, values, whole), value, whole) for name, value in values.items()
        }

    def _field(
        self, fields: Sequence[NodeField], name: str, values: Mapping[str, Json], top: Mapping[str, Json]
    ) -> NodeField:
        named = [field for field in fields if field.name == name]
        return next((field for field in named if is_shown(field.when, values, top, self._version)), named[0])

    def _inside(self, field: NodeField, value: Json, top: Mapping[str, Json]) -> Json:
        if field.control == "fixedCollection" and isinstance(value, dict):
            groups = {group.name: group.fields for group in field.groups}
            return {
                name: self._rows(groups[name], rows, top) if name in groups else rows for name, rows in value.items()
            }
        if field.control == "collection":
            if isinstance(value, list):
                return [self._chosen(field, one, top) for one in value]
            return self._chosen(field, value, top)
        return value

    def _rows(self, fields: Sequence[NodeField], rows: Json, top: Mapping[str, Json]) -> Json:
        if isinstance(rows, list):
            return [self._level(fields, row, top) if isinstance(row, dict) else row for row in rows]
        return self._level(fields, rows, top) if isinstance(rows, dict) else rows

    def _chosen(self, field: NodeField, value: Json, top: Mapping[str, Json]) -> Json:
        """A collection has what was chosen of it, and no defaults of the rest."""
        if not isinstance(value, dict):
            return value
        inner = {one.name: one for one in field.fields}
        return {name: self._inside(inner[name], one, top) if name in inner else one for name, one in value.items()}

    def empty(self, given: Mapping[str, Json]) -> dict[str, str]:
        """Path -> why, of what is needed, shown and empty."""
        values = self.completed(given)
        return dict.fromkeys(self._empty(self._fields, values, values, ""), EMPTY)

    def _empty(
        self, fields: Sequence[NodeField], values: Mapping[str, Json], top: Mapping[str, Json], path: str
    ) -> Iterator[str]:
        for field in fields:
            if not is_shown(field.when, values, top, self._version):
                continue
            value = values.get(field.name)
            if field.required and _is_empty(value):
                yield path + field.name
            if field.control == "fixedCollection" and isinstance(value, dict):
                for group in field.groups:
                    for where, row in _placed(value.get(group.name), f"{path}{field.name}.{group.name}"):
                        yield from self._empty(group.fields, row, top, f"{where}.")


def _placed(rows: Json, path: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
    if isinstance(rows, dict):
        yield path, rows
    elif isinstance(rows, list):
        yield from ((f"{path}[{index}]", row) for index, row in enumerate(rows) if isinstance(row, dict))


def _is_empty(value: Json) -> bool:
    if isinstance(value, dict) and value.get("__rl"):
        value = value.get("value")
    return value is None or value in ("", [])


def _default(field: NodeField) -> Json:
    if field.default is None or (field.control == "fixedCollection" and isinstance(field.default, list)):
        return _EMPTY_DEFAULTS.get(field.control)
    return cast("Json", field.default)


def secret_paths(fields: Sequence[NodeField], above: str = "") -> list[str]:
    """Of fields that hide what is typed into them, as `NodeParameters.secret_paths` wants them."""
    found: list[str] = []
    for field in fields:
        path = above + field.name
        if field.control == "secret":
            found.append(path + (".*" if field.multiple else ""))
        found += secret_paths(field.fields, f"{path}.*." if field.multiple else f"{path}.")
        for group in field.groups:
            found += secret_paths(group.fields, f"{path}.{group.name}.{'*.' if field.multiple else ''}")
    return sorted(set(found))
