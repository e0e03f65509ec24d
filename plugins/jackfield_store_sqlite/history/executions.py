"""Executions in SQLite: lists with filters, counts, single rows, and those that are open."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from typing import Any

import orjson

from jackfield.api.errors import Conflict, DataDamaged
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
from jackfield.api.workflows import Document
from jackfield_store_sqlite.contents.counting import BY_SPAN, BY_WORKFLOW
from jackfield_store_sqlite.contents.packing import Packing, opened
from jackfield_store_sqlite.damage.digests import (
    HIGH,
    checked_document,
    damaged,
    expect,
    of_bytes,
    of_execution,
    of_packed,
    of_state,
)
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.history.ownership import Lives
from jackfield_store_sqlite.rows import execute
from jackfield_store_sqlite.writing.batch import SqliteBatch
from jackfield_store_sqlite.writing.removing import remove

_OVERHEAD = 1000
"""Bytes that a small queued change is taken to hold."""
_END_WAIT = f"""UPDATE executions SET status = 'running', resume_at = NULL, owner = ?, digest = digest & {HIGH} | ?
    WHERE id = ? AND status = 'waiting'"""  # noqa: S608 - a number of ours
_ENDED_IT = """SELECT d.data, d.size FROM executions e
    JOIN execution_data d ON d.execution = e.data AND d.id <> d.execution
    WHERE e.id = ? AND e.owner IS ? AND e.status <> 'waiting' AND d.number = ?"""
_CALL_OF = """SELECT c.id, c.webhook_id FROM executions e
    JOIN calls c ON c.webhook_id = e.webhook_id AND c.id = e.call_id
    WHERE e.id = ? AND c.execution_id = e.id AND c.status = 'pending'"""
_CALL_ANYWHERE = "SELECT id, webhook_id FROM calls WHERE execution_id = ? AND status = 'pending'"
"""Looks at every call: for rows whose damage hides their call."""
_APPEND_STEPS = """INSERT OR IGNORE INTO execution_data (execution, data, digest, number, size)
    SELECT data, ?, ?, ?, ? FROM executions WHERE id = ?"""


_COLUMNS = """id, data, workflow_id, workflow_version, mode, status, created_at, started_at, finished_at, resume_at,
    error, retry_of, call_id, webhook_id, digest"""


def _whole_row(
    id: str, data: int, workflow_id: str | None, version: int, mode: str, status: ExecutionStatus, created: int,
    started: int | None, finished: int | None, resume_at: int | None, error: bytes | None, retry_of: str | None,
    call_id: str | None, webhook_id: str | None, digest: int | None,
) -> ExecutionRow:  # fmt: skip
    """Raises `DataDamaged`."""
    row = (
        id, data, workflow_id, version, mode, status, created, started, finished, resume_at, error, retry_of,
        call_id, webhook_id,
    )  # fmt: skip
    expect(digest, of_execution(row), f"execution {id}")
    return ExecutionRow(id, workflow_id, version, mode, status, created, started, finished, error, retry_of, resume_at)


def _listed(*row: Any) -> ExecutionRow:  # Any: the columns of `_COLUMNS`, or what damage has made of them
    """One that is damaged is listed as failed, so that the others are listed too."""
    try:
        return _whole_row(*row)
    except DataDamaged as exc:
        created = row[6] if isinstance(row[6], int) and 0 <= row[6] < _LATEST else 0
        error = orjson.dumps({"message": exc.message})
        return ExecutionRow(str(row[0]), None, 0, "manual", "failed", created, None, created, error, None, None)


_LATEST = 2**42
"""Milliseconds; later moments are damage."""
_LIST = Query(SQL, _COLUMNS, "executions", "created_at DESC, id DESC", _listed)
LISTS = ExecutionLists(
    SQL, _COLUMNS, _listed, counts="execution_counts", by_workflow=BY_WORKFLOW, by_span=BY_SPAN,
    open_rows="executions INDEXED BY executions_open", lost=" AND status IN ('failed', 'cancelled')",
)  # fmt: skip
_ONE = Query(SQL, _COLUMNS, "executions", "id", _whole_row)
_AMONG = "IN (SELECT value FROM json_each(?))"

_NEXT_CHUNKS = f"""SELECT e.id, (SELECT coalesce(max(d.number) + 1, count(*)) FROM execution_data d
        WHERE d.execution = e.data AND d.id <> d.execution)
    FROM executions e WHERE e.id {_AMONG}"""  # noqa: S608 - our own clause
"""Chunks of early versions have no numbers."""


class SqliteExecutions:
    """Part of the store port."""

    _db: SqliteDatabase
    _lives: Lives

    def _owner(self, owner: str | None) -> int | None:
        """As rows have it; asked on the writer's thread, in the order of the writes. Raises `Fenced`."""
        return None if owner is None else self._lives.number_of(owner)

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        size = len(execution.input) + _OVERHEAD
        if execution.call is not None:
            size += len(execution.call.body) + len(execution.call.headers)
        if execution.static is not None:
            size += len(execution.static.data)
        if finished is not None:
            size += _size(finished)
        return self._db.post(lambda batch: batch.add_execution(execution, finished, self._owner(execution.owner)), size)

    def append_steps(
        self, execution_id: str, steps: bytes, number: int, owner: str | None = None
    ) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.append_steps(execution_id, steps, number, self._owner(owner)), len(steps) + _OVERHEAD
        )

    def set_running(self, execution_id: str, started_at: int, owner: str | None = None) -> asyncio.Future[None]:
        return self._db.post(lambda batch: batch.set_running(execution_id, started_at, self._owner(owner)), _OVERHEAD)

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None = None,
        keeper: str | None = None,
    ) -> asyncio.Future[None]:
        def run(batch: SqliteBatch) -> None:
            holders = self._owner(owner), self._owner(keeper)
            batch.set_waiting(execution_id, resume_at, steps, number, *holders)

        return self._db.post(run, len(steps) + _OVERHEAD)

    async def end_wait(self, execution_id: str, steps: bytes, number: int, owner: str | None = None) -> bool:
        def run(connection: sqlite3.Connection) -> bool:
            mine = self._owner(owner)
            digest = of_state(execution_id, "running", None, None, None)
            if execute(connection, _END_WAIT, [mine, digest, execution_id]).rowcount:
                content, size = self._db.packing.packed(steps)
                execute(connection, _APPEND_STEPS, [content, of_packed(content, size), number, size, execution_id])
                return True
            found = execute(connection, _ENDED_IT, [execution_id, mine, number])
            return any(_opened(content, size, f"execution {execution_id}") == steps for content, size in found)

        return await self._db.write(run, len(steps) + _OVERHEAD)

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.finish_execution(finished, self._owner(finished.owner)), _size(finished) + _OVERHEAD
        )

    async def execution(self, execution_id: str) -> StoredExecution | None:
        return await self._db.read(lambda connection: _whole(connection, execution_id))

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        wanted = list(execution_ids)
        return await self._db.read(lambda connection: _together(connection, wanted, most_bytes))

    async def executions(self, where: ExecutionFilter, *, offset: int, limit: int) -> Page[ExecutionRow]:
        return await self._db.read(lambda connection: LISTS.page(connection, where, offset, limit))

    async def execution_rows(self, execution_ids: Sequence[str]) -> list[ExecutionRow]:
        wanted = orjson.dumps(list(execution_ids)).decode()
        return await self._db.read(lambda connection: _LIST.every(connection, f" WHERE id {_AMONG}", wanted))

    async def execution_stats(self, where: ExecutionFilter) -> dict[str, int]:
        return await self._db.read(lambda connection: LISTS.stats(connection, where))

    async def delete_execution(self, execution_id: str) -> bool:
        packing = self._db.packing
        return await self._db.write(lambda connection: _delete(connection, execution_id, packing))

    async def known_executions(self, execution_ids: Sequence[str]) -> set[str]:
        sql = f"SELECT id FROM executions WHERE id {_AMONG}"  # noqa: S608 - our own clause
        wanted = orjson.dumps(list(execution_ids)).decode()
        return await self._db.read(lambda connection: {found for (found,) in execute(connection, sql, [wanted])})

    async def next_chunks(self, execution_ids: Sequence[str]) -> dict[str, int]:
        wanted = orjson.dumps(list(execution_ids)).decode()
        return await self._db.read(lambda connection: dict(execute(connection, _NEXT_CHUNKS, [wanted]).fetchall()))

    async def pending_call(self, execution_id: str) -> tuple[str, str] | None:
        def run(connection: sqlite3.Connection) -> tuple[str, str] | None:
            for sql in (_CALL_OF, _CALL_ANYWHERE):
                if found := execute(connection, sql, [execution_id]).fetchone():
                    return found[0], found[1]
            return None

        return await self._db.read(run)

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        clause, values = where([("id > ?", after), ("(status <> 'waiting' OR resume_at <= ?)", due)])
        wanted = ",".join("?" * len(statuses))
        damaged = "OR status NOT IN ('queued', 'running', 'waiting')" if "running" in statuses else ""
        sql = f"""SELECT id FROM executions{clause or " WHERE true"} AND finished_at IS NULL
            AND (status IN ({wanted}) {damaged}) ORDER BY id LIMIT ?"""  # noqa: S608 - our own words and question marks
        rows = [*values, *statuses, limit]
        return await self._db.read(lambda connection: [found for (found,) in execute(connection, sql, rows)])


def _size(finished: FinishedExecution) -> int:
    size = len(finished.steps or b"") + len(finished.error or b"")
    return size + len(finished.call.response_body or "") if finished.call else size


def _whole(connection: sqlite3.Connection, execution_id: str) -> StoredExecution | None:
    row = _ONE.one(connection, "id = ?", execution_id)
    if row is None:
        return None
    what = f"execution {execution_id}"
    joined = """SELECT e.data, e.call_id, e.webhook_id, c.status, e.owner, e.epoch, i.id FROM executions e
        LEFT JOIN calls c ON c.webhook_id = e.webhook_id AND c.id = e.call_id
        LEFT JOIN incarnations i ON i.number = e.owner WHERE e.id = ?"""
    data, call_id, webhook_id, status, number, epoch, owner = execute(connection, joined, [execution_id]).fetchone()
    parts = execute(connection, "SELECT data, size, digest, -1 FROM execution_data WHERE id = ?", [data]).fetchall()
    if not parts:
        raise damaged(what)
    parts += execute(connection, f"SELECT data, size, digest, number {_STEPS} ORDER BY number, id", [data]).fetchall()
    for content, size, digest, _ in parts:
        expect(digest, of_packed(content, size), what)
    given, *steps = [_opened(content, size, what) for content, size, *_ in parts]
    call = (call_id, webhook_id) if call_id is not None else None
    call_status: CallStatus | None = status
    document = _document(connection, data, what)
    last = parts[-1][3]
    next_chunk = len(parts) - 1 if last is None else last + 1
    if owner is None and number is not None:
        owner = f"start {number}"  # its id is not kept any more
    return StoredExecution(row, given, steps, document, call, call_status, next_chunk, owner, epoch)


def _opened(content: bytes, size: int | None, what: str) -> bytes:
    """Raises `DataDamaged`."""
    try:
        return opened(content, size)
    except ValueError:
        raise damaged(what) from None


def _together(connection: sqlite3.Connection, execution_ids: Sequence[str], most: int) -> dict[str, StoredExecution]:
    found: dict[str, StoredExecution] = {}
    for execution_id in execution_ids:
        try:
            stored = _whole(connection, execution_id)
        except DataDamaged:
            continue  # a caller that reads it by itself gets an error
        most -= 0 if stored is None else len(stored.input) + sum(map(len, stored.steps))
        if most < 0:
            break
        if stored is not None:
            found[execution_id] = stored
    return found


_STEPS = "FROM execution_data WHERE execution = ? AND id <> execution"


def _document(connection: sqlite3.Connection, data: int, what: str) -> Document | None:
    sql = "SELECT document, digest FROM execution_documents WHERE data = ?"
    row = execute(connection, sql, [data]).fetchone()
    return None if row is None else checked_document(row[0], row[1], of_bytes(row[0]), what)


def _delete(connection: sqlite3.Connection, execution_id: str, packing: Packing) -> bool:
    sql = "SELECT data, status, finished_at FROM executions WHERE id = ?"
    row = execute(connection, sql, [execution_id]).fetchone()
    if row is None:
        return False
    data, status, finished_at = row
    if finished_at is None:
        raise Conflict(f"The execution is {status}; cancel it first.", details={"status": status})
    remove(connection, [(execution_id, data)], packing)
    return True
