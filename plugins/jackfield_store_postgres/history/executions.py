"""Executions in PostgreSQL: lists with filters, counts, single rows, and those that are open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.errors import Conflict
from jackfield.api.sql.conditions import where
from jackfield.api.sql.execution_lists import ExecutionLists
from jackfield.api.sql.queries import Query
from jackfield.api.storage import (
    CallStatus,
    ExecutionFilter,
    ExecutionRow,
    ExecutionStatus,
    FinishedExecution,
    NewExecution,
    Page,
    StoredExecution,
)
from jackfield_store_postgres.caps import PostgresCaps
from jackfield_store_postgres.contents.counting import BY_SPAN, BY_WORKFLOW, COUNTS
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.rows import execute, planned, unpack
from jackfield_store_postgres.server.connections import Connection

_OVERHEAD = 1000
"""Bytes that a small queued change is taken to hold."""
_END_WAIT = """UPDATE executions SET status = 'running', resume_at = NULL, owner = %s
    WHERE id = %s AND status = 'waiting'"""
_ENDED_IT = """SELECT 1 FROM executions e JOIN execution_steps s ON s.execution_id = e.id
    WHERE e.id = %s AND e.owner IS NOT DISTINCT FROM %s::text AND e.status <> 'waiting' AND s.number = %s
    AND s.data = %s"""
_PENDING_CALL = """SELECT c.id, c.webhook_id FROM executions e
    JOIN calls c ON c.webhook_id = e.webhook_id AND c.id = e.call_id
    WHERE e.id = %s AND c.execution_id = e.id AND c.status = 'pending'"""
_APPEND = "INSERT INTO execution_steps (execution_id, number, data) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_WHOLE = """SELECT e.id, e.workflow_id, e.workflow_version, e.mode, e.status, e.created_at, e.started_at, e.finished_at,
        e.error, e.retry_of, e.resume_at, e.input, e.document, e.call_id, e.webhook_id, c.status, e.owner, e.epoch,
        ARRAY(SELECT s.data FROM execution_steps s WHERE s.execution_id = e.id ORDER BY s.number),
        (SELECT coalesce(max(s.number) + 1, 0) FROM execution_steps s WHERE s.execution_id = e.id)
    FROM executions e LEFT JOIN calls c ON c.webhook_id = e.webhook_id AND c.id = e.call_id"""
_ONE = f"{_WHOLE} WHERE e.id = %s"
_SEVERAL = f"""{_WHOLE} WHERE e.id IN (SELECT id FROM (
        SELECT x.id, sum(octet_length(x.input) + (SELECT coalesce(sum(octet_length(s.data)), 0)
            FROM execution_steps s WHERE s.execution_id = x.id)) OVER (ORDER BY x.id) AS size
        FROM executions x WHERE x.id = ANY(%s)) AS sized WHERE size <= %s::bigint)"""  # noqa: S608 - our own words
_NEXT_CHUNKS = """SELECT e.id,
        (SELECT coalesce(max(s.number) + 1, 0) FROM execution_steps s WHERE s.execution_id = e.id)
    FROM executions e WHERE e.id = ANY(%s)"""
_DELETE = "DELETE FROM executions WHERE id = ANY(%s) AND finished_at IS NOT NULL RETURNING id"
_DELETE_STEPS = "DELETE FROM execution_steps WHERE execution_id = ANY(%s)"
_ROWS = Query(
    SQL,
    """id, workflow_id, workflow_version, mode, status, created_at, started_at, finished_at, error, retry_of,
    resume_at""",
    "executions",
    "created_at DESC, id DESC",
    ExecutionRow,
)
LISTS = ExecutionLists(SQL, _ROWS.columns, ExecutionRow, counts=COUNTS, by_workflow=BY_WORKFLOW, by_span=BY_SPAN)


class PostgresExecutions:
    """Part of the store port."""

    _db: PostgresDatabase
    _caps: PostgresCaps

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        size = len(execution.input) + _OVERHEAD
        if execution.call is not None:
            size += len(execution.call.body) + len(execution.call.headers)
        if execution.static is not None:
            size += len(execution.static.data)
        if finished is not None:
            size += _size(finished)
        stored = self._db.post(lambda batch: batch.add_execution(execution, finished), size, [execution.owner])
        if execution.call is not None:
            self._caps.call(execution.call.webhook_id, stored)
        if finished is not None:
            self._caps.end(stored)
        return stored

    def append_steps(
        self, execution_id: str, steps: bytes, number: int, owner: str | None = None
    ) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.append_steps(execution_id, steps, number, owner), len(steps) + _OVERHEAD, [owner]
        )

    def set_running(self, execution_id: str, started_at: int, owner: str | None = None) -> asyncio.Future[None]:
        return self._db.post(lambda batch: batch.set_running(execution_id, started_at, owner), _OVERHEAD, [owner])

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None = None,
        keeper: str | None = None,
    ) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.set_waiting(execution_id, resume_at, steps, number, owner, keeper),
            len(steps) + _OVERHEAD,
            [owner, keeper],
        )

    async def end_wait(self, execution_id: str, steps: bytes, number: int, owner: str | None = None) -> bool:
        def run(connection: Connection) -> bool:
            if execute(connection, _END_WAIT, [owner, execution_id]).rowcount:
                execute(connection, _APPEND, [execution_id, number, steps])
                return True
            return execute(connection, _ENDED_IT, [execution_id, owner, number, steps]).rowcount > 0

        return await self._db.write(run, len(steps) + _OVERHEAD, [owner])

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        size = _size(finished) + _OVERHEAD
        return self._caps.end(self._db.post(lambda batch: batch.finish_execution(finished), size, [finished.owner]))

    async def execution(self, execution_id: str) -> StoredExecution | None:
        def ask(connection: Connection) -> StoredExecution | None:
            row = planned(connection, _ONE, [execution_id]).fetchone()
            return None if row is None else _whole(*row)

        return await self._db.ask(ask)

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        wanted = list(execution_ids)
        rows = await self._db.ask(lambda connection: planned(connection, _SEVERAL, [wanted, most_bytes]).fetchall())
        return {row[0]: _whole(*row) for row in rows}

    async def executions(self, where: ExecutionFilter, *, offset: int, limit: int) -> Page[ExecutionRow]:
        return await self._db.read(lambda connection: LISTS.page(connection, where, offset, limit))

    async def execution_rows(self, execution_ids: Sequence[str]) -> list[ExecutionRow]:
        wanted = list(execution_ids)
        return await self._db.read(lambda connection: _ROWS.every(connection, " WHERE id = ANY(%s)", wanted))

    async def execution_stats(self, where: ExecutionFilter) -> dict[str, int]:
        return await self._db.read(lambda connection: LISTS.stats(connection, where))

    async def delete_execution(self, execution_id: str) -> bool:
        return await self._db.write(lambda connection: _delete(connection, execution_id))

    async def known_executions(self, execution_ids: Sequence[str]) -> set[str]:
        sql = "SELECT id FROM executions WHERE id = ANY(%s)"
        wanted = list(execution_ids)
        return await self._db.read(lambda connection: {found for (found,) in execute(connection, sql, [wanted])})

    async def next_chunks(self, execution_ids: Sequence[str]) -> dict[str, int]:
        wanted = list(execution_ids)
        return await self._db.read(lambda connection: dict(execute(connection, _NEXT_CHUNKS, [wanted]).fetchall()))

    async def pending_call(self, execution_id: str) -> tuple[str, str] | None:
        def run(connection: Connection) -> tuple[str, str] | None:
            found = execute(connection, _PENDING_CALL, [execution_id]).fetchone()
            return None if found is None else (found[0], found[1])

        return await self._db.read(run)

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        clause, values = where(
            [
                ("id > %s", after),
                ("(status <> 'waiting' OR resume_at <= %s)", due),
                ("status = ANY(%s)", list(statuses)),
            ]
        )
        sql = f"SELECT id FROM executions{clause} AND finished_at IS NULL ORDER BY id LIMIT %s"  # noqa: S608 - our own clause
        return await self._db.read(
            lambda connection: [found for (found,) in execute(connection, sql, [*values, limit])]
        )


def _size(finished: FinishedExecution) -> int:
    size = len(finished.steps or b"") + len(finished.error or b"")
    return size + len(finished.call.response_body or "") if finished.call else size


def _whole(
    id: str, workflow_id: str | None, version: int, mode: str, status: ExecutionStatus, created: int,
    started: int | None, finished: int | None, error: bytes | None, retry_of: str | None, resume_at: int | None,
    given: bytes, document: bytes | None, call_id: str | None, webhook_id: str | None, call_status: CallStatus | None,
    owner: str | None, epoch: int, steps: Sequence[bytes], next_chunk: int,
) -> StoredExecution:  # fmt: skip
    row = ExecutionRow(
        id, workflow_id, version, mode, status, created, started, finished, error, retry_of, resume_at
    )  # fmt: skip
    call = (call_id, webhook_id) if call_id is not None and webhook_id is not None else None
    parsed = None if document is None else unpack(document)
    return StoredExecution(row, given, steps, parsed, call, call_status, next_chunk, owner, epoch)


def _delete(connection: Connection, execution_id: str) -> bool:
    sql = "SELECT status, finished_at FROM executions WHERE id = %s FOR UPDATE"
    row = execute(connection, sql, [execution_id]).fetchone()
    if row is None:
        return False
    status, finished_at = row
    if finished_at is None:
        raise Conflict(f"The execution is {status}; cancel it first.", details={"status": status})
    return remove(connection, [execution_id]) > 0


def remove(connection: Connection, execution_ids: Sequence[str]) -> int:
    """Delete finished executions with all that belongs to them; returns how many."""
    gone = [found for (found,) in execute(connection, _DELETE, [list(execution_ids)])]
    execute(connection, _DELETE_STEPS, [gone])
    return len(gone)
