"""The changes of one transaction. What runs write all the time is gathered in memory and written table by table, so
that an execution that starts and ends in one batch costs one row, and a webhook's counters one update."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TypeVar

import orjson

from jackfield.api.errors import Conflict
from jackfield.api.records import state
from jackfield.api.storage import CallUpdate, Delivery, FinishedExecution, NewCall, NewExecution, StoredAnswer
from jackfield_store_sqlite.damage.digests import HIGH, Columns, of_bytes, of_state, with_digest
from jackfield_store_sqlite.failures import taken
from jackfield_store_sqlite.rows import Row, Value, encodable, pack

ResultT = TypeVar("ResultT")

_LAST_PART = "SELECT coalesce(max(id), 0) FROM execution_data"
_LAST_CALL_DATA = "SELECT coalesce(max(id), 0) FROM call_data"
_ADD_EXECUTION = "INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_PART = "INSERT INTO execution_data VALUES (?, ?, ?, ?)"
_ADD_DOCUMENT = "INSERT INTO execution_documents VALUES (?, ?, ?)"
_APPEND_PART = """INSERT INTO execution_data (execution, data, digest)
    SELECT data, ?, ? FROM executions WHERE id = ? AND finished_at IS NULL"""
_CHANGE_EXECUTION = f"""UPDATE executions SET status = ?, started_at = coalesce(?, started_at), finished_at = ?,
    resume_at = ?, error = ?, digest = digest & {HIGH} | ? WHERE id = ? AND finished_at IS NULL"""  # noqa: S608 - a number of ours
_FORGET = "INSERT OR REPLACE INTO unsaved VALUES (?, ?)"
_ADD_CALL = "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_CALL_DATA = "INSERT INTO call_data (id, headers, body, query, event) VALUES (?, ?, ?, ?, ?)"
_CALL_STATUSES = """SELECT calls.webhook_id, calls.id, calls.status FROM json_each(?) wanted
    JOIN calls ON calls.webhook_id = wanted.value ->> 0 AND calls.id = wanted.value ->> 1"""
_CHANGE_CALL = """UPDATE calls SET status = ?, response_status = coalesce(?, response_status),
    response_body = coalesce(?, response_body), response_truncated = coalesce(?, response_truncated),
    duration_ms = coalesce(?, duration_ms) WHERE webhook_id = ? AND id = ?"""
_COUNT = """INSERT INTO webhook_stats VALUES (?, ?, ?, ?, ?) ON CONFLICT (webhook_id) DO UPDATE SET
    total = total + excluded.total, success = success + excluded.success, failed = failed + excluded.failed,
    last_call = CASE WHEN last_call > excluded.last_call OR excluded.last_call IS NULL THEN last_call
                     ELSE excluded.last_call END"""
_CLAIM = """INSERT INTO deliveries (webhook_id, key, expires_at, execution_id, fingerprint) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (webhook_id, key) DO UPDATE SET expires_at = excluded.expires_at, execution_id = excluded.execution_id,
    fingerprint = excluded.fingerprint, status = NULL, headers = NULL, body = NULL WHERE expires_at <= ? RETURNING 1"""
_ANSWER = "UPDATE deliveries SET status = ?, headers = ?, body = ? WHERE webhook_id = ? AND key = ? AND status IS NULL"

# Columns of a gathered row that later operations of the batch change.
_DATA, _STATUS, _STARTED, _FINISHED, _RESUME, _ERROR = 1, 5, 7, 8, 9, 10
_CALL_STATUS, _RESPONSE_STATUS, _DURATION, _RESPONSE_TRUNCATED, _RESPONSE_BODY = 6, 8, 9, 10, 11


@state
class _Counts:
    total: int = 0
    success: int = 0
    failed: int = 0
    last_call: int | None = None

    def at(self, time: int, count: int) -> None:
        self.total += count
        if self.last_call is None or time > self.last_call:
            self.last_call = time

    def ended(self, status: str) -> None:
        if status == "success":
            self.success += 1
        elif status in ("failed", "timeout"):
            self.failed += 1


@state
class WriteBatch:
    """Not thread-safe; one per transaction. `careful` replaces what SQLite cannot hold, at some cost."""

    connection: sqlite3.Connection
    careful: bool = False
    _executions: dict[str, list[Value]] = field(default_factory=dict)
    _parts: list[Row] = field(default_factory=list)
    _documents: list[Row] = field(default_factory=list)
    _appended: list[Row] = field(default_factory=list)
    _changes: dict[str, list[Value]] = field(default_factory=dict)
    _calls: dict[str, list[Value]] = field(default_factory=dict)
    _call_data: list[Row] = field(default_factory=list)
    _forgotten: list[Row] = field(default_factory=list)
    _call_changes: list[CallUpdate] = field(default_factory=list)
    _changed_ids: set[str] = field(default_factory=set)
    _counts: dict[str, _Counts] = field(default_factory=dict)
    _last_part: int = -1
    _last_call_data: int = -1

    def apart(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Run `work` after everything gathered so far; what it did is undone when it raises."""
        self.flush()
        self.connection.execute("SAVEPOINT apart")
        try:
            result = work(self.connection)
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO apart")
                self.connection.execute("RELEASE apart")
            raise
        self.connection.execute("RELEASE apart")
        return result

    def add_execution(self, new: NewExecution, finished: FinishedExecution | None) -> None:
        """Raises `Conflict` before anything is gathered."""
        if new.id in self._executions or (new.call is not None and new.call.id in self._calls):
            raise taken()
        if new.id in self._changed_ids:
            self.flush()  # what was queued before the execution must not reach it
        if new.delivery is not None:
            self._claim(new.delivery, new)
        data = self._next_part()
        call = new.call
        self._executions[new.id] = [
            new.id, data, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at,
            None, None, None, new.retry_of,
            call.id if call else None, call.webhook_id if call else None,
        ]  # fmt: skip
        self._parts.append((data, data, new.input, of_bytes(new.input)))
        if new.document is not None:
            document = pack(new.document)
            self._documents.append((data, document, of_bytes(document)))
        if call is not None:
            self.add_call(call, new.id)
        if finished is not None:
            self.finish_execution(finished)

    def append_steps(self, execution_id: str, steps: bytes) -> None:
        if self._is_over(execution_id):
            return
        row = self._executions.get(execution_id)
        if row is None:
            self._appended.append((steps, of_bytes(steps), execution_id))
            self._changed_ids.add(execution_id)
        else:
            self._parts.append((self._next_part(), row[_DATA], steps, of_bytes(steps)))

    def change_execution(
        self,
        execution_id: str,
        status: str,
        started_at: int | None = None,
        finished_at: int | None = None,
        resume_at: int | None = None,
        error: bytes | None = None,
    ) -> None:
        """One that is over stays as it is. started_at None: as before."""
        if self._is_over(execution_id):
            return
        row = self._executions.get(execution_id)
        if row is not None:
            row[_STATUS], row[_FINISHED], row[_RESUME], row[_ERROR] = status, finished_at, resume_at, error
            row[_STARTED] = row[_STARTED] if started_at is None else started_at
            return
        self._changed_ids.add(execution_id)
        earlier = self._changes.get(execution_id)
        start: Value = earlier[1] if earlier is not None and started_at is None else started_at
        self._changes[execution_id] = [status, start, finished_at, resume_at, error, execution_id]

    def finish_execution(self, end: FinishedExecution) -> None:
        if end.steps:
            self.append_steps(end.id, end.steps)
        self.change_execution(end.id, end.status, end.started_at, end.finished_at, None, end.error)
        if end.call is not None:
            self.update_call(end.call)
        if end.forget_at is not None:
            self._forgotten.append((end.id, end.forget_at))

    def add_call(self, call: NewCall, execution_id: str | None = None) -> None:
        if call.id in self._calls:
            raise taken()
        if call.id in self._changed_ids:
            self.flush()
        key = self._next_call_data()
        self._calls[call.id] = [
            call.webhook_id, call.id, key, execution_id, call.time, call.method, call.status, int(call.truncated),
            call.response_status, call.duration_ms, 0, call.response_body,
        ]  # fmt: skip
        self._call_data.append((key, call.headers, call.body, call.query, call.event))
        counts = self._count(call.webhook_id)
        counts.at(call.time, 1)
        counts.ended(call.status)

    def count_calls(self, webhook_id: str, count: int, time: int) -> None:
        self._count(webhook_id).at(time, count)

    def update_call(self, update: CallUpdate) -> None:
        row = self._calls.get(update.call_id)
        if row is None:
            self._call_changes.append(update)
            self._changed_ids.add(update.call_id)
            return
        if row[0] != update.webhook_id:
            return
        if update.status is not None and row[_CALL_STATUS] == "pending":
            row[_CALL_STATUS] = update.status
            self._count(update.webhook_id).ended(update.status)
        if update.response_status is not None:
            row[_RESPONSE_STATUS] = update.response_status
        if update.response_body is not None:
            row[_RESPONSE_BODY], row[_RESPONSE_TRUNCATED] = update.response_body, int(update.response_truncated)
        if update.duration_ms is not None:
            row[_DURATION] = update.duration_ms

    def flush(self) -> None:
        """Write what was gathered."""
        if self._executions:
            self._many(_ADD_EXECUTION, map(with_digest, self._executions.values()))
            self._many(_ADD_PART, self._parts)
            self._many(_ADD_DOCUMENT, self._documents)
        self._many(_APPEND_PART, self._appended)
        self._many(_CHANGE_EXECUTION, map(_changed, self._changes.values()))
        self._many(_FORGET, self._forgotten)
        if self._calls:
            self._many(_ADD_CALL, self._calls.values())
            self._many(_ADD_CALL_DATA, self._call_data)
        self._change_calls()
        self._many(
            _COUNT, ((key, each.total, each.success, each.failed, each.last_call) for key, each in self._counts.items())
        )
        self._forget()

    def _forget(self) -> None:
        for gathered in (
            self._executions, self._parts, self._documents, self._appended, self._changes, self._calls,
            self._call_data, self._forgotten, self._call_changes, self._changed_ids, self._counts,
        ):  # fmt: skip
            gathered.clear()
        self._last_part = self._last_call_data = -1

    def _is_over(self, execution_id: str) -> bool:
        row = self._executions.get(execution_id)
        if row is not None:
            return row[_FINISHED] is not None
        change = self._changes.get(execution_id)
        return change is not None and change[2] is not None

    def _claim(self, delivery: Delivery, new: NewExecution) -> None:
        values = (delivery.webhook_id, delivery.key, delivery.expires_at, new.id, delivery.fingerprint, new.created_at)
        if self._one(_CLAIM, values).fetchone() is None:
            raise Conflict("This delivery is known already.", details={"key": "was delivered before"})

    def answer_delivery(self, delivery: Delivery, answer: StoredAnswer) -> None:
        headers = orjson.dumps([list(pair) for pair in answer.headers])
        self._one(_ANSWER, (answer.status, headers, answer.body, delivery.webhook_id, delivery.key))

    def _change_calls(self) -> None:
        if not self._call_changes:
            return
        wanted = orjson.dumps([(each.webhook_id, each.call_id) for each in self._call_changes]).decode()
        found = self.connection.execute(_CALL_STATUSES, (wanted,)).fetchall()
        known: dict[tuple[str, str], str] = {(webhook_id, call_id): status for webhook_id, call_id, status in found}
        changes = [each for each in self._call_changes if (each.webhook_id, each.call_id) in known]
        self._many(_CHANGE_CALL, [self._call_change(each, known) for each in changes])

    def _call_change(self, update: CallUpdate, known: dict[tuple[str, str], str]) -> Row:
        call = (update.webhook_id, update.call_id)
        if update.status is not None and known[call] == "pending":
            known[call] = update.status
            self._count(update.webhook_id).ended(update.status)
        truncated = None if update.response_body is None else int(update.response_truncated)
        return (
            known[call], update.response_status, update.response_body, truncated, update.duration_ms,
            update.webhook_id, update.call_id,
        )  # fmt: skip

    def _count(self, webhook_id: str) -> _Counts:
        counts = self._counts.get(webhook_id)
        if counts is None:
            counts = self._counts[webhook_id] = _Counts()
        return counts

    def _next_part(self) -> int:
        if self._last_part < 0:
            self._last_part = self.connection.execute(_LAST_PART).fetchone()[0]
        self._last_part += 1
        return self._last_part

    def _next_call_data(self) -> int:
        if self._last_call_data < 0:
            self._last_call_data = self.connection.execute(_LAST_CALL_DATA).fetchone()[0]
        self._last_call_data += 1
        return self._last_call_data

    def _one(self, sql: str, values: Row) -> sqlite3.Cursor:
        return self.connection.execute(sql, [encodable(value) for value in values] if self.careful else values)

    def _many(self, sql: str, rows: Iterable[Iterable[Value]]) -> None:
        if self.careful:
            rows = [[encodable(value) for value in row] for row in rows]
        self.connection.executemany(sql, rows)  # type: ignore[arg-type]


def _changed(change: Columns) -> Row:
    """The values of `_CHANGE_EXECUTION`."""
    status, started_at, finished_at, resume_at, error, execution_id = change
    digest = of_state(execution_id, status, finished_at, resume_at, error)
    return status, started_at, finished_at, resume_at, error, digest, execution_id
