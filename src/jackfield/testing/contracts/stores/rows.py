"""Rows for the suites of stores."""

from __future__ import annotations

from jackfield.api.records import replace
from jackfield.api.storage import (
    ExecutionFilter,
    ExecutionRow,
    FinishedExecution,
    NewCall,
    NewExecution,
    Retention,
    Store,
    StoredCall,
)

ALL = ExecutionFilter()
FOREVER = Retention(executions_before=0, executions_keep=10**9, calls_before=0, calls_keep=10**9, now=0)


def new(id: str, at: int = 1000, **changes: object) -> NewExecution:
    return replace(NewExecution(id, "w", 3, "webhook", "running", at, b"input", started_at=at), **changes)


def ended(id: str, status: str = "success", at: int = 2000, **changes: object) -> FinishedExecution:
    return replace(FinishedExecution(id, status, at, 1000), **changes)  # type: ignore[arg-type]


def call(id: str, at: int = 1000, webhook: str = "h", **changes: object) -> NewCall:
    return replace(NewCall(id, webhook, at, "POST", b'{"x-a":"1"}', "body"), **changes)


async def calls(store: Store, webhook: str = "h", status: str | None = None) -> list[StoredCall]:
    page = await store.calls(webhook, status=status, offset=0, limit=100)
    assert page.total == len(page.rows)
    return list(page.rows)


async def rows(store: Store, where: ExecutionFilter = ALL) -> list[ExecutionRow]:
    page = await store.executions(where, offset=0, limit=100)
    assert page.total == len(page.rows)
    return list(page.rows)
