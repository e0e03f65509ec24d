"""The changes of one transaction.

The rows that runs write all the time are gathered in memory and written table by table. So an execution that starts and
ends in one batch costs one row, and a webhook's counters one update.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TypeVar

import orjson

from jackfield.api.call_places import told
from jackfield.api.errors import Conflict, Fenced
from jackfield.api.execution_counts import span_of
from jackfield.api.records import state
from jackfield.api.sql.call_counts import CallCounts
from jackfield.api.storage import (
    CallStatus,
    CallUpdate,
    Delivery,
    FinishedExecution,
    NewCall,
    NewExecution,
    StaticChange,
    StoredAnswer,
    static_changed,
)
from jackfield_store_sqlite.contents.call_texts import LONG, body_columns
from jackfield_store_sqlite.contents.counting import COUNT, OpenExecutions, count_ends
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.damage.digests import HIGH, Columns, of_bytes, of_packed, of_state, with_digest
from jackfield_store_sqlite.failures import taken
from jackfield_store_sqlite.rows import Row, Value, encodable, encoded, pack
from jackfield_store_sqlite.static_data import put_static_data

ResultT = TypeVar("ResultT")

_LAST_PART = "SELECT coalesce(max(id), 0) FROM execution_data"
_LAST_CALL_DATA = "SELECT coalesce(max(id), 0) FROM call_data"
_ADD_EXECUTION = "INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)"
_ADD_PART = "INSERT OR IGNORE INTO execution_data VALUES (?, ?, ?, ?, ?, ?)"
_ADD_DOCUMENT = "INSERT INTO execution_documents VALUES (?, ?, ?)"
_APPEND_PART = """INSERT OR IGNORE INTO execution_data (execution, data, digest, number, size)
    SELECT data, ?, ?, ?, ? FROM executions WHERE id = ? AND finished_at IS NULL AND owner IS ?"""
_CHANGE_EXECUTION = f"""UPDATE executions SET status = ?, started_at = coalesce(?, started_at), finished_at = ?,
    resume_at = ?, error = ?, owner = ?, digest = digest & {HIGH} | ?
    WHERE id = ? AND finished_at IS NULL AND owner IS ?"""  # noqa: S608 - a number of ours
_OWNER = "SELECT owner, data FROM executions WHERE id = ? AND finished_at IS NULL"
_CHUNK = """SELECT 1 FROM executions e JOIN execution_data d ON d.execution = e.data AND d.id <> d.execution
    WHERE e.id = ? AND d.number = ?"""
_KNOWN = "SELECT created_at, call_id, webhook_id FROM executions WHERE id = ?"
_FORGET = "INSERT OR REPLACE INTO unsaved VALUES (?, ?)"
_ADD_CALL = "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_CALL_DATA = "INSERT INTO call_data VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_ANSWER = "INSERT INTO call_answers VALUES (?, ?, ?)"
_CHANGE_ANSWER = """INSERT OR REPLACE INTO call_answers SELECT data, ?, ? FROM calls WHERE webhook_id = ? AND id = ?"""
_DROP_ANSWER = """DELETE FROM call_answers
    WHERE data = (SELECT data FROM calls WHERE webhook_id = ? AND id = ?)"""
_CALL_STATUSES = """SELECT calls.webhook_id, calls.id, calls.status FROM json_each(?) wanted
    JOIN calls ON calls.webhook_id = wanted.value ->> 0 AND calls.id = wanted.value ->> 1"""
_CHANGE_CALL = """UPDATE calls SET status = ?, response_status = coalesce(?, response_status),
    response_body = coalesce(?, response_body), response_truncated = coalesce(?, response_truncated),
    duration_ms = coalesce(?, duration_ms) WHERE webhook_id = ? AND id = ?"""
_COUNT = """INSERT INTO webhook_stats (webhook_id, total, success, failed, rejected, last_call)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (webhook_id) DO UPDATE SET
    total = total + excluded.total, success = success + excluded.success, failed = failed + excluded.failed,
    rejected = rejected + excluded.rejected,
    last_call = CASE WHEN last_call > excluded.last_call OR excluded.last_call IS NULL THEN last_call
                     ELSE excluded.last_call END"""
_CLAIM = """INSERT INTO deliveries (webhook_id, key, expires_at, execution_id, fingerprint) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (webhook_id, key) DO UPDATE SET expires_at = excluded.expires_at, execution_id = excluded.execution_id,
    fingerprint = excluded.fingerprint, status = NULL, headers = NULL, body = NULL WHERE expires_at <= ? RETURNING 1"""
_ANSWER = "UPDATE deliveries SET status = ?, headers = ?, body = ? WHERE webhook_id = ? AND key = ? AND status IS NULL"

# Columns of a gathered row that later operations of the batch change.
_DATA, _WORKFLOW, _MODE, _STATUS, _CREATED, _STARTED, _FINISHED, _RESUME, _ERROR, _CALL, _OWNED_BY = (
    1,
    2,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
    14,
)
_CALL_DATA, _CALL_STATUS, _RESPONSE_STATUS, _DURATION, _RESPONSE_TRUNCATED, _RESPONSE_BODY = 2, 6, 8, 9, 10, 11


class Unclear(Exception):
    """A gathered change met no row: each operation is to be tried on its own, carefully."""


@state
class SqliteBatch:
    """Not thread-safe; one per transaction. `careful`, for one operation, replaces what SQLite cannot hold, and looks
    first whose the execution is; else a change that meets no row raises `Unclear`."""

    connection: sqlite3.Connection
    packing: Packing
    open: OpenExecutions
    careful: bool = False
    ended: int = 0
    """Executions that were written as ended so far."""
    called: Counter[str] = field(default_factory=Counter)
    """Calls that were written so far, by their webhooks."""
    _executions: dict[str, list[Value]] = field(default_factory=dict)
    _parts: list[Row] = field(default_factory=list)
    _documents: list[Row] = field(default_factory=list)
    _appended: list[Row] = field(default_factory=list)
    _changes: dict[str, list[Value]] = field(default_factory=dict)
    _calls: dict[str, list[Value]] = field(default_factory=dict)
    _call_data: list[Row] = field(default_factory=list)
    _answers: list[Row] = field(default_factory=list)
    _forgotten: list[Row] = field(default_factory=list)
    _call_changes: list[CallUpdate] = field(default_factory=list)
    _changed_ids: set[str] = field(default_factory=set)
    _counts: dict[str, CallCounts] = field(default_factory=dict)
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

    def add_execution(self, new: NewExecution, finished: FinishedExecution | None, owner: int | None) -> None:
        """owner: as rows have it, here and below. Raises `Conflict` before anything is gathered."""
        if self._is_known(new):
            return
        if new.call is not None and new.call.id in self._calls:
            raise taken()
        if new.id in self._changed_ids:
            self.flush()  # what was queued before the execution must not reach it
        if new.delivery is not None and not self._claim(new.delivery, new):
            return
        if new.static is not None and not self._remember(new.static, new):
            return
        data = self._next_part()
        call = new.call
        self._executions[new.id] = [
            new.id, data, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at,
            None, None, None, new.retry_of,
            call.id if call else None, call.webhook_id if call else None, owner,
        ]  # fmt: skip
        content, size = self.packing.packed(new.input)
        self._parts.append((data, data, content, of_packed(content, size), None, size))
        if new.document is not None:
            document = pack(new.document)
            self._documents.append((data, document, of_bytes(document)))
        if call is not None:
            self.add_call(call, new.id)
        if finished is not None:
            self.finish_execution(finished, owner)

    def append_steps(self, execution_id: str, steps: bytes, number: int, owner: int | None) -> None:
        if self._may_change(execution_id, owner, number):
            self._append(execution_id, steps, number, owner)

    def set_running(self, execution_id: str, started_at: int, owner: int | None) -> None:
        if self._may_change(execution_id, owner):
            self._change(execution_id, ["running", started_at, None, None, None, owner], owner)

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: int | None,
        keeper: int | None,
    ) -> None:
        if self._may_change(execution_id, owner, number):
            if steps:
                self._append(execution_id, steps, number, owner)
            self._change(execution_id, ["waiting", None, None, resume_at, None, keeper], owner)

    def finish_execution(self, end: FinishedExecution, owner: int | None) -> None:
        if self._may_change(end.id, owner):
            if end.steps:
                self._append(end.id, end.steps, end.number, owner)
            self._change(end.id, [end.status, end.started_at, end.finished_at, None, end.error, owner], owner)
        if end.call is not None:
            self.update_call(end.call)
        if end.forget_at is not None:
            self._forgotten.append((end.id, end.forget_at))

    def _append(self, execution_id: str, steps: bytes, number: int, owner: int | None) -> None:
        row = self._executions.get(execution_id)
        content, size = self.packing.packed(steps)
        if row is None:
            self._appended.append((content, of_packed(content, size), number, size, execution_id, owner))
            self._changed_ids.add(execution_id)
        else:
            self._parts.append((self._next_part(), row[_DATA], content, of_packed(content, size), number, size))

    def _change(self, execution_id: str, change: list[Value], owner: int | None) -> None:
        """change: status, started_at (None: as before), finished_at, resume_at, error, and whose it is from then on."""
        row = self._executions.get(execution_id)
        if row is not None:
            row[_STATUS], started, row[_FINISHED], row[_RESUME], row[_ERROR], row[_OWNED_BY] = change
            row[_STARTED] = row[_STARTED] if started is None else started
            return
        self._changed_ids.add(execution_id)
        earlier = self._changes.get(execution_id)
        if earlier is not None:
            change[1] = earlier[1] if change[1] is None else change[1]
            owner = earlier[-1]  # type: ignore[assignment]  # as that was gathered
        self._changes[execution_id] = [*change, execution_id, owner]

    def _may_change(self, execution_id: str, owner: int | None, number: int | None = None) -> bool:
        """False for an execution that is over, or has a chunk of this number already. Raises `Fenced` for one that
        another owns; as far as the tables must tell, `_expect_all` and careful batches find it."""
        row = self._executions.get(execution_id)
        if row is not None:
            if row[_FINISHED] is None and row[_OWNED_BY] != owner:
                raise Unclear(execution_id)
            return row[_FINISHED] is None
        change = self._changes.get(execution_id)
        if change is not None:
            if change[2] is not None:
                return False
            if change[5] != owner:
                self.flush()  # it changes hands
        return not self.careful or self._may_change_now(execution_id, owner, number)

    def _may_change_now(self, execution_id: str, owner: int | None, number: int | None) -> bool:
        """As the tables have it."""
        if number is not None and self._one(_CHUNK, (execution_id, number)).fetchone() is not None:
            return False
        found = self._one(_OWNER, (execution_id,)).fetchone()
        if found is not None and found[0] != owner:
            raise Fenced
        return True

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
        body, packed, size = body_columns(self.packing, call.body)
        self._call_data.append((key, call.headers, body, call.query, call.event, told(call.places), packed, size))
        counts = self._count(call.webhook_id)
        counts.at(call.time, 1)
        counts.ended(call.status)

    def count_calls(self, webhook_id: str, count: int, time: int, status: CallStatus) -> None:
        counts = self._count(webhook_id)
        counts.at(time, count)
        counts.ended(status, count)

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
            self._many(_ADD_EXECUTION, map(_added, self._executions.values()))
            self._many(_ADD_PART, self._parts)
            self._many(_ADD_DOCUMENT, self._documents)
        self._expect_all(_APPEND_PART, self._appended)
        self._count_ends()
        self._expect_all(_CHANGE_EXECUTION, [*map(_changed, self._changes.values())])
        self._many(_FORGET, self._forgotten)
        if self._calls:
            self._put_answers_apart()
            self._many(_ADD_CALL, self._calls.values())
            self._many(_ADD_CALL_DATA, self._call_data)
            self.called.update(str(row[0]) for row in self._calls.values())
            self._many(_ADD_ANSWER, self._answers)
        self._change_calls()
        self._many(
            _COUNT,
            (
                (key, each.total, each.success, each.failed, each.rejected, each.last_call)
                for key, each in self._counts.items()
            ),
        )
        self._forget()

    def _count_ends(self) -> None:
        """Before the rows are changed. Of those that were added lately nothing is read."""
        ended: Counter[Row] = Counter()
        unknown: list[tuple[str, Value]] = []
        added: Iterable[Columns] = self._executions.values()
        for row in added:
            kind = span_of(row[_CREATED]), row[_WORKFLOW] or "", row[_MODE]
            if row[_FINISHED] is None:
                self.open.add(row[0], kind)
            else:
                ended[*kind, row[_STATUS]] += 1
        for ident, change in self._changes.items():
            if change[2] is not None:
                known = None if self.careful else self.open.take(ident)
                if known is None:
                    unknown.append((ident, change[0]))
                else:
                    ended[*known, change[0]] += 1
        if ended:
            self._many(COUNT, [(*key, count) for key, count in ended.items()])
        if unknown:
            count_ends(self.connection, unknown)
        self.ended += ended.total() + len(unknown)

    def _forget(self) -> None:
        for gathered in (
            self._executions, self._parts, self._documents, self._appended, self._changes, self._calls,
            self._call_data, self._answers, self._forgotten, self._call_changes, self._changed_ids, self._counts,
        ):  # fmt: skip
            gathered.clear()
        self._last_part = self._last_call_data = -1

    def _is_known(self, new: NewExecution) -> bool:
        """Whether it is stored already. Raises `Conflict` for another one of its id. In the tables only a careful batch
        looks: else it is found when the row is inserted."""
        row = self._executions.get(new.id)
        if row is not None:
            return _same(new, row[_CREATED], row[_CALL], row[_CALL + 1]) or _refuse()
        return self.careful and self._is_stored(new)

    def _is_stored(self, new: NewExecution) -> bool:
        """Raises `Conflict` for another one of its id."""
        found = self._one(_KNOWN, (new.id,)).fetchone()
        return found is not None and (_same(new, *found) or _refuse())

    def _claim(self, delivery: Delivery, new: NewExecution) -> bool:
        """False when the execution is stored already. Raises `Conflict` when the delivery is another one's."""
        values = (delivery.webhook_id, delivery.key, delivery.expires_at, new.id, delivery.fingerprint, new.created_at)
        if self._one(_CLAIM, values).fetchone() is not None:
            return True
        if self._is_stored(new):
            return False
        raise Conflict("This delivery is known already.", details={"key": "was delivered before"})

    def _remember(self, change: StaticChange, new: NewExecution) -> bool:
        """False when the execution is stored already. Raises `Conflict` when there is something else by now."""
        if put_static_data(self.connection, change.workflow_id, change.data, change.known):
            return True
        if self._is_stored(new):
            return False
        raise static_changed()

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
        last = {
            (each.webhook_id, each.call_id): each.response_body for each in changes if each.response_body is not None
        }
        long = [(*self.packing.packed(encoded(text)), *key) for key, text in last.items() if len(text) > LONG]
        self._many(_CHANGE_ANSWER, long)
        self._many(_DROP_ANSWER, [key for key, text in last.items() if not text])

    def _put_answers_apart(self) -> None:
        for row in self._calls.values():
            text = row[_RESPONSE_BODY]
            if isinstance(text, str) and len(text) > LONG:
                self._answers.append((row[_CALL_DATA], *self.packing.packed(encoded(text))))
                row[_RESPONSE_BODY] = ""

    def _call_change(self, update: CallUpdate, known: dict[tuple[str, str], str]) -> Row:
        call = (update.webhook_id, update.call_id)
        if update.status is not None and known[call] == "pending":
            known[call] = update.status
            self._count(update.webhook_id).ended(update.status)
        truncated = None if update.response_body is None else int(update.response_truncated)
        text = update.response_body
        return (
            known[call], update.response_status, "" if text and len(text) > LONG else text, truncated,
            update.duration_ms, update.webhook_id, update.call_id,
        )  # fmt: skip

    def _count(self, webhook_id: str) -> CallCounts:
        counts = self._counts.get(webhook_id)
        if counts is None:
            counts = self._counts[webhook_id] = CallCounts()
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

    def _expect_all(self, sql: str, rows: Sequence[Row]) -> None:
        """Each of them changes one row. Raises `Unclear`."""
        if rows and self._many(sql, rows) != len(rows) and not self.careful:
            raise Unclear

    def _many(self, sql: str, rows: Iterable[Iterable[Value]]) -> int:
        """How many rows were changed."""
        if self.careful:
            rows = [[encodable(value) for value in row] for row in rows]
        return self.connection.executemany(sql, rows).rowcount  # type: ignore[arg-type]


def _added(row: Columns) -> Row:
    """The values of `_ADD_EXECUTION`."""
    return *with_digest(row[:_OWNED_BY]), row[_OWNED_BY]


def _changed(change: Columns) -> Row:
    """The values of `_CHANGE_EXECUTION`."""
    status, started_at, finished_at, resume_at, error, keeper, execution_id, owner = change
    digest = of_state(execution_id, status, finished_at, resume_at, error)
    return status, started_at, finished_at, resume_at, error, keeper, digest, execution_id, owner


def _same(new: NewExecution, created_at: Value, call_id: Value, webhook_id: Value) -> bool:
    """Whether a stored execution of the same id is the same one."""
    call = new.call
    known = (call.id, call.webhook_id) if call else (None, None)
    return (created_at, call_id, webhook_id) == (new.created_at, *known)


def _refuse() -> bool:
    """Raises `Conflict`."""
    raise taken()
