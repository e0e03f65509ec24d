"""Values and conditions in the words of Weaviate's GraphQL."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.port import Condition

_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_OPERATORS: Mapping[str, str] = {
    "equal": "Equal",
    "like": "Like",
    "containsany": "ContainsAny",
    "containsall": "ContainsAll",
    "greaterthan": "GreaterThan",
    "lessthan": "LessThan",
    "isnull": "IsNull",
    "withingeorange": "WithinGeoRange",
}
_VALUES: Mapping[str, str] = {
    "valueString": "valueText",
    "valueText": "valueText",
    "valueTextArray": "valueText",
    "valueNumber": "valueNumber",
    "valueBoolean": "valueBoolean",
    "valueGeoCoordinates": "valueGeoRange",
}
"""Of n8n's filters -> of Weaviate's."""


@record
class Name:
    """A value of an enumeration, which has no quotes."""

    text: str


def rendered(value: object) -> str:
    """A literal of GraphQL (its October 2021 edition, section 2.9). Raises `NodeError` for a name that it cannot
    have, which could go on as another part of the query."""
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Mapping):
        if odd := next((name for name in value if not _NAME.fullmatch(str(name))), None):
            raise NodeError(f"The parameter searchFilterJson has the name {odd[:50]!r}; use letters, digits and _.")
        return "{" + ", ".join(f"{name}: {rendered(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(rendered, value)) + "]"
    if value is None or isinstance(value, str | bool | int | float):
        return dumps(value).decode()
    raise TypeError(f"{type(value).__name__} is no value of GraphQL")


def where_of(condition: Condition, types: Mapping[str, str]) -> dict[str, object]:
    """n8n's `searchFilterJson`: one comparison, or several in an AND or an OR. types: of the properties. Raises
    `NodeError`."""
    for word, operator in (("AND", "And"), ("OR", "Or")):
        if word in condition:
            rows = list_at(dict(condition), word)
            return {"operator": Name(operator), "operands": [_comparison(row, types) for row in rows]}
    return _comparison(dict(condition), types)


def _comparison(row: Json, types: Mapping[str, str]) -> dict[str, object]:
    given = text_at(row, "operator")
    operator = _OPERATORS.get(given.lower())
    path = [one for one in list_at(row, "path") if isinstance(one, str)]
    word = next((name for name in _VALUES if at(row, name) is not None), None)
    if operator is None or not path or word is None:
        raise NodeError(
            f"The parameter searchFilterJson has a comparison without path, value or known operator ({given[:50]!r}); "
            'write {"path": ["name"], "operator": "Equal", "valueString": "..."}.'
        )
    value, name = at(row, word), _VALUES[word]
    if name == "valueNumber" and types.get(path[0]) == "int" and isinstance(value, int | float):
        name, value = "valueInt", int(value)
    return {"path": path, "operator": Name(operator), name: value}
