"""The values that workflows remember between their executions: one row each, replaced as a whole."""

from __future__ import annotations

import hashlib

from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server.connections import Connection

_FOUND = "SELECT data FROM static_data WHERE workflow_id = %s"
_FRESH = "INSERT INTO static_data SELECT id, %s FROM workflows WHERE id = %s ON CONFLICT DO NOTHING"
_LATER = "UPDATE static_data SET data = %s WHERE workflow_id = %s AND sha256(data) = %s"
_EXISTS = "SELECT 1 FROM workflows WHERE id = %s"


def static_data(connection: Connection, workflow_id: str) -> bytes | None:
    row = execute(connection, _FOUND, [workflow_id]).fetchone()
    return None if row is None else bytes(row[0])


def put_static_data(connection: Connection, workflow_id: str, data: bytes, known: bytes | None) -> bool:
    """See `WorkflowStore.set_static_data`. The digest of what was known travels, not all of it."""
    digest = [] if known is None else [hashlib.sha256(known).digest()]
    changed = execute(connection, _LATER if digest else _FRESH, [data, workflow_id, *digest]).rowcount
    return changed > 0 or not execute(connection, _EXISTS, [workflow_id]).rowcount
