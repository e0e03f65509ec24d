"""Parameters without which no execution starts that could reach their node.

n8n looks at them before the first node runs, so that a workflow does not stop halfway. A model marks such a field with
`json_schema_extra=needed(...)`. Source: n8n's source code, `getNodeParametersIssues` and `displayParameter`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, get_args

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from ..jsontext import Json

Case: TypeAlias = Mapping[str, Sequence[JsonValue]]
"""Names of parameters, as documents have them -> the values that count. A name with `/` in front is one of the node's
own, seen from inside of a row."""
EMPTY = "It is empty, and the node needs it; give it a value or an expression."


def needed(*cases: Case) -> dict[str, JsonValue]:
    """`json_schema_extra` of a field that must not be empty in one of these cases; without any in every one."""
    return {"needed": [{name: list(values) for name, values in case.items()} for case in cases]}


def empty_parameters(model: type[BaseModel], given: Mapping[str, Json]) -> dict[str, str]:
    """Path, such as `sortFieldsUi.sortField[0].fieldName` -> `EMPTY`, of each marked field that is empty. given: the
    parameters as the document has them. Where an expression decides about a case, the field is needed."""
    return dict.fromkeys(_empty(model, given, _Level(model, given, None), ""), EMPTY)


class _Level:
    """The parameters of a node, or of one row of it."""

    def __init__(self, model: type[BaseModel], given: Mapping[str, Json], root: _Level | None) -> None:
        self._fields = {field.alias or name: field for name, field in model.model_fields.items()}
        self._given = given
        self.root = root or self

    def value(self, name: str) -> object:
        """The given one, else the default. A locator's is what it names."""
        if name.startswith("/"):
            return self.root.value(name[1:])
        found: object = self._given.get(name)
        field = self._fields.get(name)
        if found is None and field is not None:
            found = field.get_default(call_default_factory=True)
        return found.get("value") if isinstance(found, dict) and "mode" in found else found


def _empty(model: type[BaseModel], given: Mapping[str, Json], level: _Level, path: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        key = field.alias or name
        cases = _cases(field)
        if cases is not None and _is_empty(level.value(key), field) and _counts(cases, level):
            yield path + key
        inner = given.get(key)
        row = _row(field)
        if row is not None and isinstance(inner, dict | list):
            for place, one in enumerate(inner) if isinstance(inner, list) else ((None, inner),):
                if isinstance(one, dict):
                    where = f"{path}{key}." if place is None else f"{path}{key}[{place}]."
                    yield from _empty(row, one, _Level(row, one, level.root), where)


def _is_empty(value: object, field: FieldInfo) -> bool:
    """As n8n has it: of several choices none, but no text instead of them."""
    several = isinstance(field.get_default(call_default_factory=True), list)
    return value in ((None, []) if several else ("", None))


def _cases(field: FieldInfo) -> Sequence[Case] | None:
    """None: it is not marked."""
    extra = field.json_schema_extra
    return extra.get("needed") if isinstance(extra, dict) else None  # type: ignore[return-value]  # made by `needed`


def _counts(cases: Sequence[Case], level: _Level) -> bool:
    return not cases or any(_applies(case, level) for case in cases)


def _applies(case: Case, level: _Level) -> bool:
    for name, values in case.items():
        found = level.value(name)
        if isinstance(found, str) and found.startswith("="):
            return True
        if found not in values:
            return False
    return True


def _row(field: FieldInfo) -> type[BaseModel] | None:
    """The model of what is inside of the field."""
    for found in (field.annotation, *get_args(field.annotation)):
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return None
