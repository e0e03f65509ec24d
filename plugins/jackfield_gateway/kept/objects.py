"""The makers of the objects that providers keep. Each function is one step of a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from jackfield.api.gateway import StoredObject
from jackfield.api.records import record

_PUT = (
    "INSERT INTO objects (id, account, holder, profile, provider, kind) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
_TRIM_HOLDER = """
DELETE FROM objects WHERE holder = ?1 AND kind = ?2 AND number <= (
  SELECT number FROM objects WHERE holder = ?1 AND kind = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
"""
_TRIM = """
DELETE FROM objects WHERE kind = ?1 AND number <= (
  SELECT number FROM objects WHERE kind = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
"""
_BETWEEN = 64
"""Objects after which all are counted: to count hundreds of thousands takes milliseconds."""
_KINDS = ("object", "answer")


@record
class HeldObject:
    """holder: the id of a key, or a profile with `OWN` before its alias."""

    holder: str
    object: StoredObject


def put(connection: sqlite3.Connection, held: Sequence[HeldObject], of_holder: int, of_all: int) -> None:
    """The first one has it. `of_holder`, `of_all`: the most of each kind that are kept; the oldest ones give way."""
    for one in held:
        found = one.object
        done = connection.execute(
            _PUT, (found.id, found.account, one.holder, found.profile, found.provider, found.kind)
        )
        if done.rowcount > 0 and (done.lastrowid or 0) % _BETWEEN == 0:
            connection.executemany(_TRIM, [(kind, of_all) for kind in _KINDS])
    for holder, kind in {(one.holder, one.object.kind) for one in held}:
        connection.execute(_TRIM_HOLDER, (holder, kind, of_holder))


def find(connection: sqlite3.Connection, ids: Sequence[str]) -> list[HeldObject]:
    """Of several accounts there may be several with one id."""
    query = "SELECT holder, id, profile, provider, account, kind FROM objects WHERE id = ?"
    rows = (row for one in ids for row in connection.execute(query, (one,)))
    return [HeldObject(holder, StoredObject(*rest)) for holder, *rest in rows]
