"""Lists come from indexes: no statement of a read sorts what it found, none but a count reads a whole table, and none
reads all executions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence

import pytest

from jackfield.api.sql import execution_lists
from jackfield.api.storage import ExecutionFilter, FinishedExecution, NewExecution, Retention, Store, WorkflowFilter
from jackfield_store_sqlite import dialect, rows
from jackfield_store_sqlite.catalog import workflows
from jackfield_store_sqlite.history import calls, executions
from jackfield_store_sqlite.rows import Value
from jackfield_store_sqlite.store import SqliteStore

PAGE = {"offset": 0, "limit": 10}


async def read_everything(store: Store) -> None:
    for ident, status in (("e", "failed"), ("f", "running")):
        ended = FinishedExecution(ident, "failed", 1, 1) if status == "failed" else None
        await store.add_execution(NewExecution(ident, "w", 1, "manual", "running", 1, b"{}"), ended)
    for where in (
        ExecutionFilter(),
        ExecutionFilter(workflow_id="w"),
        ExecutionFilter(status="failed"),
        ExecutionFilter(since=1, until=2),
        ExecutionFilter(workflow_id="w", status="running", mode="manual", since=1),
    ):
        await store.executions(where, offset=0, limit=10)
    for status in (None, "failed"):
        await store.calls("h", status=status, offset=0, limit=10)
    await store.webhooks(offset=0, limit=10, active=None, workflow_id=None)
    await store.webhooks(offset=0, limit=10, active=True, workflow_id=None)
    await store.webhooks_by_path("/a")
    await store.webhook("h")
    await store.workflows(WorkflowFilter(), offset=0, limit=10)
    await store.workflows(WorkflowFilter(active=True, search="a"), offset=0, limit=10)
    await store.workflows(WorkflowFilter(tags=["a", "b"]), offset=0, limit=10)
    await store.folders()
    await store.tags(offset=0, limit=10)
    await store.tag("t")
    await store.workflow("w")
    await store.workflow_version("w", 1)
    await store.versions("w", 0, 10)
    await store.open_executions(statuses=["queued", "waiting"], after="a", limit=10, due=5)
    await store.execution("e")
    await store.next_chunks(["e"])
    await store.api_keys("u", 0, 10)
    await store.api_key("d")
    await store.user_by_name("u")
    await store.credentials(0, 10)
    await store.variables()
    await store.users()
    await store.delivery("h", "k", 1)
    await store.webhook_stats("h")
    await store.prune(Retention(1, 1, 1, 1, 1))


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Every statement of a read: its number of values."""
    seen: dict[str, int] = {}
    execute: Callable[..., sqlite3.Cursor] = rows.execute

    def watch(connection: sqlite3.Connection, sql: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        seen[sql] = len(values)
        return execute(connection, sql, values)

    def some(connection: sqlite3.Connection, sql: str, values: Sequence[Value] = ()) -> int:
        return number(connection, sql, values) or 1  # of a list without rows only the count is read

    number = rows.number
    monkeypatch.setattr(rows, "number", some)
    monkeypatch.setattr(execution_lists, "SHALLOW", -1)
    for module in (rows, calls, executions, dialect, workflows):
        monkeypatch.setattr(module, "execute", watch)
    return seen


async def test_reads_use_indexes(store: SqliteStore, statements: dict[str, int]) -> None:
    await read_everything(store)
    assert len(statements) > 30

    def plans(connection: sqlite3.Connection) -> dict[str, str]:
        return {
            sql: "; ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * count))
            for sql, count in statements.items()
        }

    found = await store._db.read(plans)
    sorting = {sql: plan for sql, plan in found.items() if "TEMP B-TREE" in plan}
    assert not {sql for sql in sorting if "GROUP BY" not in sql}
    assert not {sql for sql, plan in found.items() if "CORRELATED" in plan and " FROM folders" in sql}
    assert not {
        sql for sql, plan in found.items() if re.search(r"SCAN executions($|;| USING INDEX executions_by)", plan)
    }
    scanning = {sql: plan for sql, plan in found.items() if re.search(r"SCAN (?!hooks)\w+($|;)", plan)}
    assert not {
        sql: plan for sql, plan in scanning.items() if "count(*)" not in sql and "FROM execution_counts" not in sql
    }
