"""Names and values of statements. A value goes beside the statement, as a binding, and never becomes SQL.

Source: Snowflake's SQL API, "Using bind variables in a statement", and "Identifier requirements".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError

MOST_VALUES = 10_000
MOST_ROWS = 1000
"""Of one INSERT."""
_NAME_PART = re.compile(r'((?:"(?:[^"]|"")*"?|[^."])*)(\.|\Z)')
Binding = Mapping[str, "str | None"]


def plain_name(name: str) -> str:
    """As Snowflake stores it: a quoted name as it is, any other one in upper case."""
    if len(name) > 2 and name[0] == name[-1] == '"':
        return name[1:-1].replace('""', '"')
    return name.upper()


def column_sql(name: str) -> str:
    escaped = plain_name(name).replace('"', '""')
    return f'"{escaped}"'


def table_sql(name: str) -> str:
    """With its database and schema, whose dots count outside of quotes."""
    parts = [found[1] for found in _NAME_PART.finditer(name)]
    if name and not name.endswith(".") and len(parts) > 1 and not parts[-1]:
        parts.pop()  # what the pattern finds behind the end
    return ".".join(map(column_sql, parts))


def binding(value: Json) -> Binding:
    """Raises `NodeError`."""
    if value is None:
        return {"type": "TEXT", "value": None}
    if isinstance(value, bool):
        return {"type": "BOOLEAN", "value": "true" if value else "false"}
    if isinstance(value, float) and not isfinite(value):
        raise NodeError("A value is no finite number.")
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 2**53):
        return {"type": "FIXED", "value": str(int(value))}
    if isinstance(value, float):
        return {"type": "REAL", "value": repr(value)}
    return {"type": "TEXT", "value": value if isinstance(value, str) else dumps(value).decode()}


def bindings(values: Sequence[Json]) -> dict[str, Binding]:
    """By their places, from 1."""
    return {str(place): binding(value) for place, value in enumerate(values, 1)}


def row_bindings(rows: Sequence[Sequence[Json]]) -> dict[str, Binding]:
    """Of rows of one statement. A column whose values are of several types is sent as text, since the rows of VALUES
    have one type each."""
    made = [[dict(binding(value)) for value in row] for row in rows]
    for column in zip(*made, strict=True):
        types = {one["type"] for one in column if one["value"] is not None}
        kind = next(iter(types)) if len(types) == 1 else "REAL" if types == {"FIXED", "REAL"} else "TEXT"
        for one in column:
            one["type"] = kind
    return {str(place): one for place, one in enumerate((one for row in made for one in row), 1)}


def batches(rows: Sequence[Sequence[Json]]) -> Iterator[Sequence[Sequence[Json]]]:
    """As many rows as one statement takes."""
    if not rows:
        return
    size = max(1, min(MOST_ROWS, MOST_VALUES // max(1, len(rows[0]))))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
