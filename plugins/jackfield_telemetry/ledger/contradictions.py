"""The facts that the ledger's tables must agree on: SQLite's own checks see broken pages, and not a number that has
become another one.
"""

from __future__ import annotations

import sqlite3

_SUMMED = ("input", "output", "written", "read", "hours")
_SUMS = ", ".join(f"sum({name})" for name in _SUMMED)
_ENTRIES = f"SELECT count(*), {_SUMS} FROM entries"  # noqa: S608 - of constants
_SLOTS = f"SELECT total(count), {_SUMS} FROM slots"  # noqa: S608 - of constants
_STRAY = (
    ("entries", "dim", "dims"),
    ("entries", "session", "sessions"),
    ("slots", "dim", "dims"),
    ("slots", "session", "sessions"),
)


def contradiction(connection: sqlite3.Connection) -> str | None:
    """A clause about the first thing that is wrong; None: nothing. Reads everything. Raises `sqlite3.Error`."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        return str(found)
    for table, column, named in _STRAY:
        stray = f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT id FROM {named})"  # noqa: S608 - constants
        if connection.execute(stray).fetchone()[0]:
            return f"{table} name {named} that are not there"
    if connection.execute(_ENTRIES).fetchone() != _zeros(connection.execute(_SLOTS).fetchone()):
        return "its sums are not those of its entries"
    return None


def _zeros(row: tuple[object, ...]) -> tuple[object, ...]:
    """As the entries' sums are: of no row NULL."""
    return row if row[0] else (0, *(None for _ in row[1:]))
