"""The changes of one transaction.

The rows that runs write all the time are gathered in memory and written table by table. All rows of a kind take one
statement, and all statements take one round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

import orjson
import psycopg

from jackfield.api.call_places import told
from jackfield.api.errors import Conflict, Fenced, JackfieldError
from jackfield.api.records import replace, state
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
from jackfield_store_postgres import failures
from jackfield_store_postgres.columns import kinds_of
from jackfield_store_postgres.rows import Cursor, Value, execute, fitting, pack
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.server.transactions import Statement
from jackfield_store_postgres.static_data import put_static_data
from jackfield_store_postgres.writing import statements
from jackfield_store_postgres.writing.tallies import CallChange

ResultT = TypeVar("ResultT")
Row: TypeAlias = "list[Any]"
"""Any: the columns have the types of their statement."""
Key: TypeAlias = "tuple[str, ...]"
_Adding: TypeAlias = "tuple[str, str, list[Row], list[tuple[Any, ...]]]"
"""Kind of doubt, statement, rows, and the keys that it is expected to give back; none: it gives nothing back."""
_CLASHES = 3
"""How often work is done again because another transaction was faster."""

_STORED = "SELECT created_at, call_id, webhook_id FROM executions WHERE id = %s"
_CHUNK = "SELECT 1 FROM execution_steps WHERE execution_id = %s AND number = %s"
_CALL_ROW = "SELECT 1 FROM calls WHERE webhook_id = %s AND id = %s"
_OWNER = "SELECT owner FROM executions WHERE id = %s AND finished_at IS NULL FOR UPDATE"

# Columns of a gathered row that later operations of the batch change.
_STATUS, _CREATED, _STARTED, _FINISHED, _RESUME, _ERROR, _CALL, _OWNED_BY = 4, 5, 6, 7, 8, 9, 11, 13
_CALL_STATUS, _RESPONSE_STATUS, _DURATION, _RESPONSE_TRUNCATED, _RESPONSE_BODY = 9, 11, 12, 13, 14


class Refused(Exception):
    """A part of the batch is not as it was taken to be. All of it is to be done again, with a look at these first.

    keys: `dead` and an owner; `execution`, `delivery` or `doubt` and an execution's id. `call`, its webhook and id."""

    def __init__(self, keys: set[Key]) -> None:
        super().__init__()
        self.keys = keys


@state
class PostgresBatch:
    """Not thread-safe; one per transaction.

    opening: statements that begin it. They go out with the first others, and the last of them finds which of `owners`
    are alive. refused: what earlier attempts found. `careful` cuts numbers that PostgreSQL cannot hold."""

    connection: Connection
    opening: list[Statement]
    share: int
    owners: Sequence[str] | None = None
    refused: frozenset[Key] = frozenset()
    careful: bool = False
    alive: Sequence[str] | None = None
    """The incarnations that the opening has found; None: not sent yet, or the writer's own row is gone."""
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
    _chunks: set[tuple[str, int]] = field(default_factory=set)
    _counts: dict[str, CallCounts] = field(default_factory=dict)

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
        if self._is_known(new):
            return
        if call is not None:
            self._check_call(call)
        if new.id in self._changed_ids or (call is not None and call.id in self._changed_ids):
            self.flush()  # what was queued before the execution must not reach it
        if new.delivery is not None:
            self._claim(new.delivery, new)
        if new.static is not None and not self._remember(new.static, new):
            return
        self._executions[new.id] = [
            new.id, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at, None,
            None, None, new.retry_of, call.id if call else None, call.webhook_id if call else None, new.owner,
            new.input, None if new.document is None else pack(new.document),
        ]  # fmt: skip
        if call is not None:
            self.add_call(call, new.id)
        if finished is not None:
            self.finish_execution(replace(finished, owner=new.owner))

    def append_steps(self, execution_id: str, steps: bytes, number: int, owner: str | None) -> None:
        if self._may_change(execution_id, owner, number):
            self._append(execution_id, steps, number, owner)

    def set_running(self, execution_id: str, started_at: int, owner: str | None) -> None:
        if self._may_change(execution_id, owner):
            self._change(execution_id, ["running", started_at, None, None, None, owner], owner)

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None,
        keeper: str | None,
    ) -> None:
        if self._may_change(execution_id, owner, number):
            if steps:
                self._append(execution_id, steps, number, owner)
            self._change(execution_id, ["waiting", None, None, resume_at, None, keeper], owner)

    def finish_execution(self, end: FinishedExecution) -> None:
        owner = end.owner
        if self._may_change(end.id, owner):
            if end.steps and not self._has_chunk(end.id, end.number):
                self._append(end.id, end.steps, end.number, owner)
            self._change(end.id, [end.status, end.started_at, end.finished_at, None, end.error, owner], owner)
        if end.call is not None:
            self.update_call(end.call)
        if end.forget_at is not None:
            self._forgotten[end.id] = end.forget_at

    def _append(self, execution_id: str, steps: bytes, number: int, owner: str | None) -> None:
        self._chunks.add((execution_id, number))
        if execution_id in self._executions:
            self._steps.append([execution_id, number, steps])
        else:
            self._appended.append([execution_id, number, steps, owner])
            self._changed_ids.add(execution_id)

    def _change(self, execution_id: str, change: Row, owner: str | None) -> None:
        """change: status, started_at (None: as before), finished_at, resume_at, error, and whose it is from then on."""
        row = self._executions.get(execution_id)
        if row is not None:
            row[_STATUS], started, row[_FINISHED], row[_RESUME], row[_ERROR], row[_OWNED_BY] = change
            row[_STARTED] = row[_STARTED] if started is None else started
            return
        self._changed_ids.add(execution_id)
        earlier = self._changes.get(execution_id)
        if earlier is not None:
            change[1] = earlier[2] if change[1] is None else change[1]
            owner = earlier[-1]  # as that was gathered
        self._changes[execution_id] = [execution_id, *change, owner]

    def _may_change(self, execution_id: str, owner: str | None, number: int | None = None) -> bool:
        """False for an execution that is over, or has a chunk of this number already.

        Raises `Fenced` for one that another owns. The tables are asked about executions in doubt alone: the changes of
        the statements show that the others are well.
        """
        if number is not None and (execution_id, number) in self._chunks:
            return False
        row = self._executions.get(execution_id)
        if row is not None:
            if row[_FINISHED] is None and row[_OWNED_BY] != owner:
                raise Fenced
            return row[_FINISHED] is None
        change = self._changes.get(execution_id)
        if change is not None and change[3] is not None:
            return False
        if change is not None and change[6] != owner:
            self.flush()  # it changes hands
        return ("doubt", execution_id) not in self.refused or self._may_change_now(execution_id, owner, number)

    def _may_change_now(self, execution_id: str, owner: str | None, number: int | None) -> bool:
        """As the tables have it."""
        self.flush()
        if number is not None and self._finds(_CHUNK, execution_id, number):
            return False
        found = execute(self.connection, _OWNER, [execution_id]).fetchone()
        if found is not None and found[0] != owner:
            raise Fenced
        return found is not None

    def _has_chunk(self, execution_id: str, number: int) -> bool:
        """As far as it is looked up; see `_may_change`."""
        if (execution_id, number) in self._chunks:
            return True
        return ("doubt", execution_id) in self.refused and self._finds(_CHUNK, execution_id, number)

    def _finds(self, sql: str, *values: Value) -> bool:
        self.flush()
        return execute(self.connection, sql, values).rowcount > 0

    def add_call(self, call: NewCall, execution_id: str | None = None) -> None:
        self._check_call(call)
        if call.id in self._changed_ids:
            self.flush()
        self._calls[call.id] = [
            call.webhook_id, call.id, execution_id, call.time, call.method, call.headers, call.body, call.query,
            call.event, call.status, call.truncated, call.response_status, call.duration_ms, False, call.response_body,
            told(call.places),
        ]  # fmt: skip
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
        expected = [*self._adding(), *self._changing()]
        expected = [each for each in expected if each[2]]
        sent = [*opening, *(self._many(sql, rows) for _, sql, rows, _ in expected)]
        sent += [self._many(sql, rows) for sql, rows in self._counting() if rows]
        cursors = run(self.connection, [*sent, *then])
        if self.alive is None and opening:
            row = cursors[len(opening) - 1].fetchone()
            self.alive = None if row is None else row[0]
        self._check(cursors[len(opening) :], expected)
        self._forget()

    def _adding(self) -> Iterable[_Adding]:
        claims = sorted(self._claims.values(), key=_first)
        yield "delivery", statements.CLAIM, claims, [(row[3],) for row in claims]
        executions = list(self._executions.values())
        yield "execution", statements.ADD_EXECUTIONS, executions, [(row[0],) for row in executions]
        calls = list(self._calls.values())
        yield "call", statements.ADD_CALLS, calls, [(row[0], row[1]) for row in calls]

    def _changing(self) -> Iterable[_Adding]:
        """In the order in which they are to run."""
        yield "doubt", statements.ADD_STEPS, self._steps, []
        keys = [(row[0], row[1]) for row in self._appended]
        yield "doubt", statements.APPEND_STEPS, self._appended, keys
        changes = sorted(self._changes.values(), key=_first)
        yield "doubt", statements.CHANGE_EXECUTIONS, changes, [(row[0],) for row in changes]

    def _counting(self) -> Iterable[tuple[str, Sequence[Row]]]:
        share = self.share
        yield statements.FORGET, [[key, at] for key, at in self._forgotten.items()]
        yield statements.ANSWER, list(self._answers.values())
        changes = sorted(self._call_changes.items(), key=_first)
        yield statements.CHANGE_CALLS, [[share, *key, *change.values()] for key, change in changes]
        counts = sorted(self._counts.items(), key=_first)
        yield statements.COUNT, [[key, share, *each.values()] for key, each in counts]

    def _check(self, cursors: Sequence[Cursor], expected: Sequence[_Adding]) -> None:
        """Raises `Refused` for owners that are dead, and what was not added or changed."""
        found = set() if self.owners is None else self._dead(self.owners)
        for cursor, (kind, _, _, keys) in zip(cursors, expected, strict=False):
            if keys and cursor.rowcount < len(keys):
                missing = set(keys) - set(cursor.fetchall())
                found |= {(kind, *(key if kind == "call" else key[:1])) for key in missing}
        if found - self.refused:
            raise Refused(found)
        if any(kind != "dead" for kind, *_ in found):
            raise psycopg.errors.SerializationFailure("another transaction was faster, twice")

    def _dead(self, owners: Sequence[str]) -> set[Key]:
        """Of those whom the opening has asked for."""
        self.owners = None
        return {("dead", owner) for owner in owners if owner not in (self.alive or ())}

    def _many(self, sql: str, rows: Iterable[Row]) -> Statement:
        columns: Iterable[Sequence[Value]] = zip(*rows, strict=True)
        if self.careful:
            columns = [[fitting(value) for value in column] for column in columns]
        return sql, [kind(column) for kind, column in zip(kinds_of(sql), columns, strict=True)]

    def _forget(self) -> None:
        for gathered in (
            self._executions, self._steps, self._appended, self._changes, self._calls, self._claims, self._answers,
            self._forgotten, self._call_changes, self._changed_ids, self._counts, self._chunks,
        ):  # fmt: skip
            gathered.clear()

    def _is_known(self, new: NewExecution) -> bool:
        """Whether it is stored already. Raises `Conflict` for another one of its id."""
        row = self._executions.get(new.id)
        if row is not None:
            return _same(new, row[_CREATED], row[_CALL], row[_CALL + 1])
        if self.refused.isdisjoint((("execution", new.id), ("delivery", new.id))):
            return False
        self.flush()
        found = execute(self.connection, _STORED, [new.id]).fetchone()
        return found is not None and _same(new, *found)

    def _check_call(self, call: NewCall) -> None:
        """Raises `Conflict` for one that is there. In the tables it is looked for only when it was found there before,
        or was written there by this batch."""
        if call.id in self._calls:
            raise failures.taken()
        if ("call", call.webhook_id, call.id) in self.refused and self._finds(_CALL_ROW, call.webhook_id, call.id):
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

    def _remember(self, change: StaticChange, new: NewExecution) -> bool:
        """False when the execution is stored already. Raises `Conflict` when there is something else by now."""

        def work(connection: Connection) -> bool:
            return put_static_data(connection, change.workflow_id, change.data, change.known)

        if self.apart(work):
            return True
        found = execute(self.connection, _STORED, [new.id]).fetchone()
        if found is not None and _same(new, *found):
            return False
        raise static_changed()

    def _count(self, webhook_id: str) -> CallCounts:
        counts = self._counts.get(webhook_id)
        if counts is None:
            counts = self._counts[webhook_id] = CallCounts()
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


def _same(new: NewExecution, created_at: int, call_id: str | None, webhook_id: str | None) -> bool:
    """True when a stored execution of the same id is the same one. Raises `Conflict`."""
    known = (new.call.id, new.call.webhook_id) if new.call else (None, None)
    if (created_at, call_id, webhook_id) != (new.created_at, *known):
        raise failures.taken()
    return True
