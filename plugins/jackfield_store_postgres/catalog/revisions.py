"""Which workflows other daemons have changed.

Every change takes the next number in its own transaction, and the number's row stays locked until that has ended. So
numbers become visible in their order, and whoever has seen one has seen all before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from jackfield.api.shared_workflows import ChangedWorkflows
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import execute, number, planned
from jackfield_store_postgres.server.connections import Connection

ResultT = TypeVar("ResultT")
_NEXT = """INSERT INTO revisions VALUES ('workflows', 1)
    ON CONFLICT (name) DO UPDATE SET number = revisions.number + 1 RETURNING number"""
_MARK = """INSERT INTO workflow_revisions (workflow_id, revision) VALUES (%s, %s)
    ON CONFLICT (workflow_id) DO UPDATE SET revision = excluded.revision"""
_LAST = "SELECT number FROM revisions WHERE name = 'workflows'"
_SINCE = "SELECT workflow_id, revision FROM workflow_revisions WHERE revision > %s ORDER BY revision"
_SWEEP = """DELETE FROM workflow_revisions r WHERE revision <= %s
    AND NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = r.workflow_id)"""
_KEPT = 100_000
"""Changes for which it is remembered that a workflow was deleted."""
_OWN = 10_000
"""Numbers of this daemon's own changes that are remembered until it looks."""


class Revisions:
    """Of one open store. Looked at from one event loop."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database
        self._opened_at = 0
        self._own: deque[int] = deque(maxlen=_OWN)

    async def open(self) -> None:
        """Raises `StoreUnavailable`."""
        self._opened_at = await self._db.read(lambda connection: number(connection, _LAST))

    async def write(self, workflow_id: str, work: Callable[[Connection], ResultT], size: int = 0) -> ResultT:
        """`PostgresDatabase.write` of a change to this workflow."""

        def marked(connection: Connection) -> tuple[int, ResultT]:
            revision = number(connection, _NEXT)
            execute(connection, _MARK, [workflow_id, revision])
            return revision, work(connection)

        revision, result = await self._db.write(marked, size)
        self._own.append(revision)
        return result

    async def since(self, revision: int | None) -> ChangedWorkflows:
        """See `SharedWorkflows.changed_workflows`. After a database was set back, everything has changed."""
        known = self._opened_at if revision is None else revision

        def work(connection: Connection) -> tuple[int, list[tuple[str, int]]]:
            row = planned(connection, _LAST).fetchone()
            last = 0 if row is None else int(row[0])
            if last == known:
                return last, []
            after = known if last > known else -1
            rows = [(str(ident), int(at)) for ident, at in execute(connection, _SINCE, [after])]
            return (rows[-1][1] if rows and after >= 0 else last), rows

        last, rows = await self._db.ask(work)  # changes between the two statements are reported again at most
        own = frozenset(self._own)
        while self._own and self._own[0] <= last:
            self._own.popleft()
        return ChangedWorkflows(last, [ident for ident, at in rows if at not in own])


def sweep(connection: Connection) -> None:
    """Forget what was deleted long ago."""
    execute(connection, _SWEEP, [number(connection, _LAST) - _KEPT])
