"""The changes of one transaction. What runs write all the time is gathered in memory and written table by table, with
one statement for all rows of a kind and one round trip for all statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

import orjson
import psycopg

from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.records import state
from jackfield.api.storage import CallUpdate, Delivery, FinishedExecution, NewCall, NewExecution, StoredAnswer
from jackfield_store_postgres import failures, statements
from jackfield_store_postgres.connections import Connection
from jackfield_store_postgres.rows import Cursor, Value, fitting, pack
from jackfield_store_postgres.tallies import CallChange, Counts
from jackfield_store_postgres.transactions import Statement

ResultT = TypeVar("ResultT")
Row: TypeAlias = "list[Any]"
"""Any: the columns have the types of their statement."""
_Adding: TypeAlias = "tuple[str, str, list[Row], list[tuple[str, ...]]]"
"""Kind, statement, rows, and the keys that the statement gives back of those that it has added."""
_CLASHES = 3
"""How often work is done again because another transaction was faster."""

# Columns of a gathered row that later operations of the batch change.
_STATUS, _STARTED, _FINISHED, _RESUME, _ERROR = 4, 6, 7, 8, 9
_CALL_STATUS, _RESPONSE_STATUS, _DURATION, _RESPONSE_TRUNCATED, _RESPONSE_BODY = 9, 11, 12, 13, 14


class Refused(Exception):
    """Some of what the batch adds is there already: all of it is to be done again without these."""

    def __init__(self, keys: set[tuple[str, ...]]) -> None:
        super().__init__()
        self.keys = keys


@state
class WriteBatch:
    """Not thread-safe; one per transaction. opening: statements that begin it; they go out with the first others.
    refused: what earlier attempts found to be there. `careful` cuts numbers that PostgreSQL cannot hold."""

    connection: Connection
    opening: list[Statement]
    share: int
    refused: frozenset[tuple[str, ...]] = frozenset()
    careful: bool = False
    opened: list[Cursor] = field(default_factory=list)
    """What the opening statements gave."""
    _executions: dict[str, Row] = field(default_factory=dict)
    _steps: list[Row] = field(default_factory=list)
    _appended: list[Row] = field(default_factory=list)
    _changes: dict[str, Row] = field(default_factory=dict)
    _calls: dict[str, Row] = field(default_factory=dict)
    _claims: dict[tuple[str, str], Row] = field(default_factory=dict)
    _answers: dict[tuple[str, str], Row] = field(default_factory=dict)
    _forgotten: dict[str, int] = field(default_factory=dict)
    _call_changes: dict[tuple[str, str], CallChange] = field(default_factory=dict)
    _changed_ids: set[str] = field(default_factory=set)
    _counts: dict[str, Counts] = field(default_factory=dict)

    def apart(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` after everything gathered so far; what it did is undone when it raises. It is called again when
        another transaction was faster, so it must change nothing else."""
        self.flush([("SAVEPOINT apart", ())])
        for left in reversed(range(_CLASHES)):
            try:
                result = work(self.connection)
            except JackfieldError:
                self.connection.execute("ROLLBACK TO apart")
                raise
            except psycopg.Error as error:
                if not failures.is_clash(error):
                    raise
                self.connection.execute("ROLLBACK TO apart")
                if not left:
                    raise failures.of_operation(error) from error
            else:
                self.opening.append(("RELEASE apart", ()))
                return result
        raise AssertionError("unreachable")

    def add_execution(self, new: NewExecution, finished: FinishedExecution | None) -> None:
        """Raises `Conflict` before anything is gathered."""
        call = new.call
        if new.id in self._executions or ("execution", new.id) in self.refused:
            raise failures.taken()
        if call is not None:
            self._check_call(call)
        if new.id in self._changed_ids or (call is not None and call.id in self._changed_ids):
            self.flush()  # what was queued before the execution must not reach it
        if new.delivery is not None:
            self._claim(new.delivery, new)
        self._executions[new.id] = [
            new.id, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at, None,
            None, None, new.retry_of, call.id if call else None, call.webhook_id if call else None, new.input,
            None if new.document is None else pack(new.document),
        ]  # fmt: skip
        if call is not None:
            self.add_call(call, new.id)
        if finished is not None:
            self.finish_execution(finished)

    def append_steps(self, execution_id: str, steps: bytes) -> None:
        if self._is_over(execution_id):
            return
        if execution_id in self._executions:
            self._steps.append([execution_id, steps])
        else:
            self._appended.append([execution_id, steps])
            self._changed_ids.add(execution_id)

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
        start = earlier[2] if earlier is not None and started_at is None else started_at
        self._changes[execution_id] = [execution_id, status, start, finished_at, resume_at, error]

    def finish_execution(self, end: FinishedExecution) -> None:
        if end.steps:
            self.append_steps(end.id, end.steps)
        self.change_execution(end.id, end.status, end.started_at, end.finished_at, None, end.error)
        if end.call is not None:
            self.update_call(end.call)
        if end.forget_at is not None:
            self._forgotten[end.id] = end.forget_at

    def add_call(self, call: NewCall, execution_id: str | None = None) -> None:
        self._check_call(call)
        if call.id in self._changed_ids:
            self.flush()
        self._calls[call.id] = [
            call.webhook_id, call.id, execution_id, call.time, call.method, call.headers, call.body, call.query,
            call.event, call.status, call.truncated, call.response_status, call.duration_ms, False, call.response_body,
        ]  # fmt: skip
        counts = self._count(call.webhook_id)
        counts.at(call.time, 1)
        counts.ended(call.status)

    def count_calls(self, webhook_id: str, count: int, time: int) -> None:
        self._count(webhook_id).at(time, count)

    def update_call(self, update: CallUpdate) -> None:
        row = self._calls.get(update.call_id)
        if row is None:
            key = (update.webhook_id, update.call_id)
            self._call_changes.setdefault(key, CallChange()).add(update)
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
            row[_RESPONSE_BODY], row[_RESPONSE_TRUNCATED] = update.response_body, update.response_truncated
        if update.duration_ms is not None:
            row[_DURATION] = update.duration_ms

    def answer_delivery(self, delivery: Delivery, answer: StoredAnswer) -> None:
        headers = orjson.dumps([list(pair) for pair in answer.headers])
        key = (delivery.webhook_id, delivery.key)
        self._answers.setdefault(key, [*key, answer.status, headers, answer.body])

    def flush(self, then: Sequence[Statement] = ()) -> None:
        """Write what was gathered, and run `then` after it, in one round trip. Raises `Refused`."""
        opening, self.opening = self.opening, []
        adding = [each for each in self._adding() if each[2]]
        sent = [*opening, *(self._many(sql, rows) for _, sql, rows, _ in adding)]
        sent += [self._many(sql, rows) for sql, rows in self._changing() if rows]
        cursors = run(self.connection, [*sent, *then])
        self.opened += cursors[: len(opening)]
        _check_added(cursors[len(opening) :], adding)
        self._forget()

    def _adding(self) -> Iterable[_Adding]:
        claims = sorted(self._claims.values(), key=_first)
        yield "delivery", statements.CLAIM, claims, [(row[3],) for row in claims]
        executions = list(self._executions.values())
        yield "execution", statements.ADD_EXECUTIONS, executions, [(row[0],) for row in executions]
        calls = list(self._calls.values())
        yield "call", statements.ADD_CALLS, calls, [(row[0], row[1]) for row in calls]

    def _changing(self) -> Iterable[tuple[str, Sequence[Row]]]:
        """Statements and their rows, in the order in which they are to run."""
        share = self.share
        yield statements.ADD_STEPS, self._steps
        yield statements.APPEND_STEPS, self._appended
        yield statements.CHANGE_EXECUTIONS, sorted(self._changes.values(), key=_first)
        yield statements.FORGET, [[key, at] for key, at in self._forgotten.items()]
        yield statements.ANSWER, list(self._answers.values())
        changes = sorted(self._call_changes.items(), key=_first)
        yield statements.CHANGE_CALLS, [[share, *key, *change.values()] for key, change in changes]
        counts = sorted(self._counts.items(), key=_first)
        yield statements.COUNT, [[key, share, *each.values()] for key, each in counts]

    def _many(self, sql: str, rows: Iterable[Row]) -> Statement:
        columns: list[list[Value]] = [list(column) for column in zip(*rows, strict=True)]
        if self.careful:
            columns = [[fitting(value) for value in column] for column in columns]
        return sql, columns

    def _forget(self) -> None:
        for gathered in (
            self._executions, self._steps, self._appended, self._changes, self._calls, self._claims, self._answers,
            self._forgotten, self._call_changes, self._changed_ids, self._counts,
        ):  # fmt: skip
            gathered.clear()

    def _is_over(self, execution_id: str) -> bool:
        row = self._executions.get(execution_id)
        if row is not None:
            return row[_FINISHED] is not None
        change = self._changes.get(execution_id)
        return change is not None and change[3] is not None

    def _check_call(self, call: NewCall) -> None:
        if call.id in self._calls or ("call", call.webhook_id, call.id) in self.refused:
            raise failures.taken()

    def _claim(self, delivery: Delivery, new: NewExecution) -> None:
        key = (delivery.webhook_id, delivery.key)
        earlier = self._claims.get(key)
        known = earlier is not None and earlier[2] > new.created_at
        if known or ("delivery", new.id) in self.refused:
            raise Conflict("This delivery is known already.", details={"key": "was delivered before"})
        if earlier is not None or key in self._answers:
            self.flush()
        self._claims[key] = [*key, delivery.expires_at, new.id, delivery.fingerprint, new.created_at]

    def _count(self, webhook_id: str) -> Counts:
        counts = self._counts.get(webhook_id)
        if counts is None:
            counts = self._counts[webhook_id] = Counts()
        return counts


def _first(row: Sequence[Any]) -> Any:
    """Rows in one order everywhere: two daemons that lock the same ones never wait for each other in a circle."""
    return row[0]


def run(connection: Connection, sent: Sequence[Statement]) -> list[Cursor]:
    """All of them in one round trip."""
    if len(sent) < 2:  # a single one needs no pipeline
        return [connection.execute(sql, values) for sql, values in sent]
    with connection.pipeline():
        return [connection.execute(sql, values) for sql, values in sent]


def _check_added(cursors: Sequence[Cursor], adding: Sequence[_Adding]) -> None:
    missing: set[tuple[str, ...]] = set()
    for cursor, (kind, _, _, keys) in zip(cursors, adding, strict=False):
        if cursor.rowcount < len(keys):
            missing |= {(kind, *key) for key in set(keys) - set(cursor.fetchall())}
    if missing:
        raise Refused(missing)
