"""The inputs of an SQL query as tables in memory, and rows as items again.

A column exists for each field that an item has at its top level. Values that SQLite has no type for come back as they
were. Objects and lists are JSON text in the table, and columns of truth values alone are 0 and 1. A number column and a
text column compare by value, as do numbers and text in JavaScript.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items

BOOLEAN = "JACKFIELD_BOOLEAN"
HIDDEN = "\u2060"
"""Word joiner. Alone: the column that a table without fields must have. After a name: a field that differs from another
only in case, which columns cannot. As a value: a field that no item has, equal to any other such field."""

MAX_COLUMNS = 2000
ROW_NUMBERS = ("rowid", "oid", "_rowid_")
_LARGEST = 2**63 - 1
_BEYOND = 10**300

sqlite3.register_converter(BOOLEAN, lambda text: text == b"1")


def storable(text: str) -> str:
    """Text without halves of characters, which scripts may make and SQLite refuses."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class ItemTable:
    """One input. columns: field -> column; nulls: field -> the items in which it is null, from 0."""

    def __init__(self, name: str, items: Items) -> None:
        self.name = name
        self._items = items
        self.columns: dict[str, str] = {}
        self.nulls: dict[str, set[int]] = {}
        for index, item in enumerate(items):
            for field, value in item["json"].items():
                if value is None or (isinstance(value, int) and _stored(value, {}) is None):
                    self.nulls.setdefault(field, set()).add(index)
        taken: set[str] = set()
        for field in dict.fromkeys(field for item in items for field in item["json"]):
            column = storable(field).replace("\0", "")
            while _folded(column) in taken:
                column += HIDDEN
            taken.add(_folded(column))
            self.columns[field] = column
        if len(self.columns) >= MAX_COLUMNS:
            raise NodeError(f"The items of {name} have more than {MAX_COLUMNS} different fields, too many for SQL.")

    def create(self, connection: sqlite3.Connection, texts: dict[str, Json]) -> None:
        """texts: notes which JSON text stands for which object or list."""
        columns = [f"{quoted(column)} {self._type(field)}" for field, column in self.columns.items()]
        connection.execute(f"CREATE TABLE {self.name} ({', '.join(columns or [quoted(HIDDEN)])})")
        if self.columns:
            places = ", ".join("?" * len(self.columns))
            connection.executemany(f"INSERT INTO {self.name} VALUES ({places})", self._rows(texts))  # noqa: S608 - quoted by us

    def _type(self, field: str) -> str:
        kinds = {type(value) for item in self._items if (value := item["json"].get(field)) is not None}
        if kinds == {bool}:
            return BOOLEAN
        if kinds and kinds <= {int, float}:
            return "NUMERIC"
        return "TEXT" if kinds and kinds <= {str, dict, list} else ""

    def _rows(self, texts: dict[str, Json]) -> Iterable[list[object]]:
        return ([_stored(item["json"].get(field), texts) for field in self.columns] for item in self._items)

    def row_number(self) -> str | None:
        """The column of SQLite's own that counts rows from 1; None when fields have all of its names."""
        return next((name for name in ROW_NUMBERS if not self.has(name)), None)

    def has(self, column: str) -> bool:
        return any(_folded(known) == _folded(column) for known in self.columns.values())

    def add(self, connection: sqlite3.Connection, column: str) -> None:
        """A column for a field that no item has."""
        connection.execute(f"ALTER TABLE {self.name} ADD COLUMN {quoted(column)} DEFAULT '{HIDDEN}'")
        self.columns[column] = column


def _folded(name: str) -> str:
    """Equal for names that SQLite takes for the same."""
    return "".join(char.lower() if char.isascii() else char for char in name)


def _stored(value: Json, texts: dict[str, Json]) -> object:
    if isinstance(value, dict | list):
        text = storable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        texts[text] = value
        return text
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int) and abs(value) > _LARGEST:
        return float(value) if abs(value) < _BEYOND else None
    return value


def value_of(value: object, texts: Mapping[str, Json]) -> Json:
    """A value of a result. texts: which object or list a text stands for."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value  # type: ignore[return-value]  # SQLite gives nothing else
