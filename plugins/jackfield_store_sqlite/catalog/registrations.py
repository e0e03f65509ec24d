"""The registrations of workflows, within the transaction that saves or activates them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from jackfield.api.errors import RouteConflict
from jackfield.api.ids import new_id
from jackfield.api.triggers import Registration
from jackfield_store_sqlite.rows import Value, execute

_HOLDER = """SELECT workflows.id, workflows.name FROM registrations JOIN workflows ON workflows.id = workflow_id
    WHERE kind = ? AND method = ? AND pattern = ? AND registrations.active = 1 AND workflow_id <> ?"""
_PUT = """INSERT INTO registrations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    node_name = excluded.node_name, path = excluded.path, pattern = excluded.pattern,
    authentication = excluded.authentication, active = excluded.active"""


def _conflict(wanted: Registration, workflow_id: str, name: str) -> RouteConflict:
    return RouteConflict(
        f"{wanted.method} {wanted.path} is served by the active workflow {name} ({workflow_id}) already; change the "
        "path or deactivate that workflow.",
        details={"workflowId": workflow_id, "workflowName": name, "method": wanted.method, "path": wanted.path},
    )


def _twice(wanted: Registration, workflow_id: str, name: str) -> RouteConflict:
    return RouteConflict(
        f"The workflow {name} ({workflow_id}) registers {wanted.method} {wanted.path} twice; change one of the paths.",
        details={"workflowId": workflow_id, "workflowName": name, "method": wanted.method, "path": wanted.path},
    )


def check_routes(
    connection: sqlite3.Connection, workflow_id: str, name: str, registrations: Sequence[Registration]
) -> None:
    """Raises `RouteConflict` unless these routes may be live."""
    seen = set()
    for each in registrations:
        if not each.pattern:
            continue
        holder = execute(connection, _HOLDER, [each.kind, each.method, each.pattern, workflow_id]).fetchone()
        if holder is not None:
            raise _conflict(each, *holder)
        if (each.kind, each.method, each.pattern) in seen:
            raise _twice(each, workflow_id, name)
        seen.add((each.kind, each.method, each.pattern))


def replace(
    connection: sqlite3.Connection,
    workflow_id: str,
    registrations: Sequence[Registration],
    *,
    active: bool,
    now: int,
) -> list[str]:
    """The workflow's registrations are these. One of the same kind, node and method keeps its id. Returns the ids of
    those that are gone; their histories are still to be forgotten."""
    known = _known(connection, workflow_id)
    rows: list[list[Value]] = []
    for each in registrations:
        ids = known[each.kind, each.node_id, each.method]
        rows.append(
            [ids.pop(0) if ids else new_id(), workflow_id, each.node_id, each.node_name, each.kind, each.method,
             each.path, each.pattern, each.authentication, int(active), now]
        )  # fmt: skip
    gone = [webhook_id for ids in known.values() for webhook_id in ids]
    connection.executemany("DELETE FROM registrations WHERE id = ?", [(webhook_id,) for webhook_id in gone])
    # Routes may swap between nodes: none is live while they move.
    connection.execute("UPDATE registrations SET active = 0 WHERE workflow_id = ?", [workflow_id])
    for row in rows:
        execute(connection, _PUT, row)
    return gone


def _known(connection: sqlite3.Connection, workflow_id: str) -> defaultdict[tuple[str, str, str], list[str]]:
    sql = "SELECT kind, node_id, method, id FROM registrations WHERE workflow_id = ? ORDER BY rowid"
    known: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for kind, node_id, method, webhook_id in execute(connection, sql, [workflow_id]):
        known[kind, node_id, method].append(webhook_id)
    return known
