"""From which items the rows of an SQL query come, and which of their nulls stand in an item.

n8n adds a column to a query for each table that it names, to pair rows with items. Where that is no valid query, rows
come from everywhere. The same is done here, with the tables' row numbers. Source: n8n-nodes-base, Merge,
`combineBySql`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import pair
from jackfield.api.workflows import PairedItem
from jackfield_nodes.merging.sql_tables import HIDDEN, ItemTable, value_of

Sources: TypeAlias = Mapping[int, int]
"""Number of an input -> the item of it that a row comes from, both from 0."""
Shape: TypeAlias = Literal["everything", "columns", "lines", "groups", "other"]
_LIST = re.compile(r"select\s+(.+?)\s+from\b", re.IGNORECASE | re.DOTALL)
_GROUPED = re.compile(r"\bgroup\s+by\b", re.IGNORECASE)
_ORDERED = re.compile(r"\b(?:order\s+by|limit)\b", re.IGNORECASE)
_AGGREGATE = re.compile(r"\b(?:count|sum|avg|min|max|total|group_concat)\s*\(", re.IGNORECASE)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_RENAMED = re.compile(r"\b(\w+)\s+as\s+(\w+)", re.IGNORECASE)
_DISTINCT = re.compile(r"select\s+distinct\b", re.IGNORECASE)


def shape_of(sql: str) -> Shape:
    """How a query makes its rows: of whole items, of some columns of them, of columns in several lines, of several
    items each. `other`: nobody can say from which item a row comes.
    """
    found = _LIST.match(sql)
    if found is None or _DISTINCT.match(sql):
        return "other"
    if _GROUPED.search(sql) or _AGGREGATE.search(found[1]):
        return "groups"
    if found[1] == "*":
        return "everything"
    return "lines" if "\n" in found[1] else "columns"


def traced(sql: str, tables: Sequence[ItemTable]) -> str | None:
    """The query with the number of each table's row, or with groups in the order of their first rows.

    None where nobody knows the items of the rows. It need not be valid SQL.
    """
    found, shape = _LIST.match(sql), shape_of(sql)
    if found is None or shape == "other" or _is_cut(found[1]):
        return None
    numbers = [
        (index, f"{table.name}.{row}")
        for index, table in enumerate(tables)
        if table.name in sql.lower() and (row := table.row_number())
    ]
    if shape == "groups":
        ordered = not numbers or _ORDERED.search(sql) or not _GROUPED.search(sql)
        return None if ordered else f"{sql.rstrip().rstrip(';')} ORDER BY MIN({numbers[0][1]})"
    added = (f', {number} AS "{HIDDEN}{index}"' for index, number in numbers)
    return "".join((sql[: found.end(1)], *added, sql[found.end(1) :]))


def _is_cut(listed: str) -> bool:
    """Whether a list of columns ends inside of a text or of an inner query: what is added there is no column."""
    rest = _QUOTED.sub("", listed)
    return "'" in rest or '"' in rest or rest.count("(") != rest.count(")")


def sources_of(names: Sequence[str], row: Sequence[object]) -> Sources | None:
    """The sources that the columns of `traced` name; None without any."""
    found = {
        int(name[len(HIDDEN) :]): value - 1
        for name, value in zip(names, row, strict=True)
        if name.startswith(HIDDEN) and name != HIDDEN and isinstance(value, int)
    }
    return found if any(name.startswith(HIDDEN) and name != HIDDEN for name in names) else None


def pairs_of(sources: Sources, shape: Shape) -> list[PairedItem]:
    """As n8n pairs a row: one of whole items has the last one's pairing, one of columns in several lines has none."""
    found = [pair(item, source) for source, item in sorted(sources.items())]
    if shape == "lines":
        return []
    return found[-1:] if shape == "everything" else found


class Nulls:
    """Nulls of items. The others are what SQL says of a field that is not there, which n8n leaves out."""

    def __init__(self, tables: Sequence[ItemTable], sql: str) -> None:
        self._tables = tables
        self._grouped = shape_of(sql) == "groups"
        self._renamed = {name: field for field, name in _RENAMED.findall(sql)}
        self._known = {field for table in tables for field in table.columns}

    def stand(self, field: str, sources: Sources | None) -> bool:
        """Whether an item has this null. sources: of the row; None: any item may be."""
        if field not in self._known:
            field = self._renamed.get(field, field)
        if field not in self._known:
            return self._grouped  # what an aggregate of nothing gives
        if sources is None:
            return any(field in table.nulls for table in self._tables)
        return any(item in self._tables[source].nulls.get(field, ()) for source, item in sources.items())

    def json(
        self, names: Sequence[str], row: Sequence[object], values: Mapping[str, Json], sources: Sources | None
    ) -> dict[str, Json]:
        """A row of a result. Of several columns with the same name the last one that has a value counts. values: which
        object or list a text stands for."""
        made: dict[str, Json] = {}
        for name, value in zip(names, row, strict=True):
            field = name.rstrip(HIDDEN)
            if not field or field.startswith(HIDDEN) or value == HIDDEN:
                continue
            if value is None and (field in made or not self.stand(field, sources)):
                continue
            made[field] = value_of(value, values)
        return made
