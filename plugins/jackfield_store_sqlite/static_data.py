"""The values that workflows remember between their executions: one row each, replaced as a whole."""

from __future__ import annotations

import sqlite3

from jackfield_store_sqlite.damage.digests import of_static_data
from jackfield_store_sqlite.rows import execute

_FOUND = "SELECT data FROM static_data WHERE workflow_id = ?"
_EXISTS = "SELECT 1 FROM workflows WHERE id = ?"
_PUT = """INSERT INTO static_data SELECT id, ?, ? FROM workflows WHERE id = ?
    ON CONFLICT (workflow_id) DO UPDATE SET data = excluded.data, row_digest = excluded.row_digest"""


def static_data(connection: sqlite3.Connection, workflow_id: str) -> bytes | None:
    row = execute(connection, _FOUND, [workflow_id]).fetchone()
    return None if row is None else bytes(row[0])


def put_static_data(connection: sqlite3.Connection, workflow_id: str, data: bytes, known: bytes | None) -> bool:
    """See `WorkflowStore.set_static_data`: a workflow that has gone remembers nothing."""
    if static_data(connection, workflow_id) == known:
        execute(connection, _PUT, [data, of_static_data(workflow_id, data), workflow_id])
        return True
    return not execute(connection, _EXISTS, [workflow_id]).fetchone()
