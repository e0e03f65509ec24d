"""The registrations of workflows over a database with SQL, within the transaction that saves or activates them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Generic

from ..errors import RouteConflict
from ..ids import new_id
from ..registrations import Registration
from .dialect import ConnectionT, SqlValue, StoreDialect

_HOLDER = """SELECT workflows.id, workflows.name FROM registrations JOIN workflows ON workflows.id = workflow_id
    WHERE kind = ? AND method = ? AND pattern = ? AND registrations.active AND workflow_id <> ?"""
_PUT = """INSERT INTO registrations (id, workflow_id, node_id, node_name, kind, method, path, pattern, authentication,
        active, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    node_name = excluded.node_name, path = excluded.path, pattern = excluded.pattern,
    authentication = excluded.authentication, active = excluded.active"""


class RegistrationWork(Generic[ConnectionT]):
    """order: the column that keeps the order in which registrations were added."""

    def __init__(self, dialect: StoreDialect[ConnectionT], order: str) -> None:
        self._sql = dialect
        self._of_workflow = (
            f"SELECT kind, node_id, method, id FROM registrations WHERE workflow_id = ? ORDER BY {order}"  # noqa: S608 - ours
        )

    def check(
        self, connection: ConnectionT, workflow_id: str, name: str, registrations: Sequence[Registration]
    ) -> None:
        """Raises `RouteConflict` unless these routes may be live."""
        seen = set()
        for each in registrations:
            if not each.pattern:
                continue
            route = (each.kind, each.method, each.pattern)
            holder = self._sql.execute(connection, _HOLDER, [*route, workflow_id]).fetchone()
            if holder is not None:
                raise _conflict(each, *holder)
            if route in seen:
                raise _twice(each, workflow_id, name)
            seen.add(route)

    def replace(
        self,
        connection: ConnectionT,
        workflow_id: str,
        registrations: Sequence[Registration],
        *,
        active: bool,
        now: int,
    ) -> list[str]:
        """The workflow's registrations are these. One of the same kind, node and method keeps its id. Returns the ids
        of those that are gone; their histories are still to be forgotten."""
        known = self._known(connection, workflow_id)
        rows: list[list[SqlValue]] = []
        for each in registrations:
            ids = known[each.kind, each.node_id, each.method]
            rows.append(
                [ids.pop(0) if ids else new_id(), workflow_id, each.node_id, each.node_name, each.kind, each.method,
                 each.path, each.pattern, each.authentication, active, now]
            )  # fmt: skip
        gone = [webhook_id for ids in known.values() for webhook_id in ids]
        sql = f"DELETE FROM registrations WHERE {self._sql.among('id')}"  # noqa: S608 - our own names
        self._sql.execute(connection, sql, [self._sql.listed(gone)])
        # Routes may swap between nodes: none is live while they move.
        off = "UPDATE registrations SET active = ? WHERE workflow_id = ?"
        self._sql.execute(connection, off, [False, workflow_id])
        for row in rows:
            self._sql.execute(connection, _PUT, row)
        return gone

    def _known(self, connection: ConnectionT, workflow_id: str) -> defaultdict[tuple[str, str, str], list[str]]:
        known: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
        for kind, node_id, method, webhook_id in self._sql.execute(connection, self._of_workflow, [workflow_id]):
            known[kind, node_id, method].append(webhook_id)
        return known


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
