"""A store in which nobody has counted ended executions, brought up to date beside a daemon of the version before."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from conftest import NewStore
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import ExecutionFilter, FinishedExecution, NewExecution
from jackfield.api.storage.insights import EndedFilter
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres import failures
from jackfield_store_postgres.schema import MIGRATIONS
from jackfield_store_postgres.store import PostgresStore

BEFORE = next(number for number, step in enumerate(MIGRATIONS) if any("execution_counts" in each for each in step))


async def _run(store: PostgresStore, ident: str, *, ends: bool) -> None:
    end = FinishedExecution(ident, "success", finished_at=2, started_at=1) if ends else None
    await store.add_execution(NewExecution(ident, "w", 1, "manual", "running", 1, b"{}"), end)


async def test_what_ended_before_and_while_others_read_is_counted(
    jackfield_postgres: PostgresServer, store: PostgresStore, new_store: NewStore, schema: str
) -> None:
    await _run(store, "before", ends=True)
    await _run(store, "open", ends=False)
    functions = [f"count_{each}_executions" for each in ("added", "ended", "deleted")]
    functions += ["keep_counts", "keep_bodies_of_calls", "add_up_new_counts", "add_up_counts", "take_counts_away"]
    jackfield_postgres.run(f"DROP FUNCTION {', '.join(f'{schema}.{each}' for each in functions)} CASCADE")
    jackfield_postgres.run(f"DROP INDEX {schema}.executions_by_end")
    tables = ["execution_counts", "execution_changes", "workflow_counts", "span_counts", "ledgers", "ledger_days"]
    tables += ["entries", "drafts", "project_members", "projects", "placements", "shares", "project_revisions"]
    tables += ["audit_records", "audit_checkpoints", "insights"]
    jackfield_postgres.run(f"DROP TABLE {', '.join(f'{schema}.{table}' for table in tables)}")
    jackfield_postgres.run(f"ALTER TABLE {schema}.api_keys DROP COLUMN projects")
    jackfield_postgres.run(f"ALTER TABLE {schema}.webhook_stats DROP COLUMN rejected")
    jackfield_postgres.run(f"UPDATE {schema}.jackfield_schema SET version = {BEFORE}")
    await _run(store, "uncounted", ends=True)
    newer = new_store()
    with psycopg.connect(jackfield_postgres.dsn()) as reader:
        for table in ("executions", "execution_steps", "calls", "deliveries", "workflow_versions"):
            reader.execute(f"LOCK TABLE {schema}.{table} IN ACCESS SHARE MODE")
        async with asyncio.timeout(20):
            await newer.open()
    await store.finish_execution(FinishedExecution("open", "failed", finished_at=3, started_at=1))
    assert await newer.execution_stats(ExecutionFilter()) == {"success": 2, "failed": 1}
    assert await newer.delete_execution("before")
    assert await newer.execution_stats(ExecutionFilter()) == {"success": 1, "failed": 1}
    assert sum(count.number for count in await newer.ended_by_workflow(EndedFilter(0, 2**44))) == 3


@pytest.mark.parametrize("error", [psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure])
def test_a_start_tries_again_when_another_transaction_was_in_the_way(error: type[psycopg.Error]) -> None:
    assert isinstance(failures.unusable(error("deadlock detected"), ""), StoreUnavailable)
