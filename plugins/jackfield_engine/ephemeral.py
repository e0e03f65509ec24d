"""A store that keeps executions in memory, in front of one that has everything else and is only read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import field

from jackfield.api.records import replace, state
from jackfield.api.storage import (
    CallUpdate,
    Claimed,
    ExecutionRow,
    FinishedExecution,
    Incarnation,
    NewExecution,
    OpenStatus,
    Standing,
    Store,
    StoredExecution,
)
from jackfield.api.workflows import Document


@state
class _Kept:
    row: ExecutionRow
    input: bytes
    document: Document | None
    owner: str | None = None
    steps: dict[int, bytes] = field(default_factory=dict)


class EphemeralStore:
    """The part of a `Store` that an engine needs for runs that nobody asks for later. Not a whole one: what is missing
    here is read from the store behind it, and nothing is ever written there."""

    def __init__(self, behind: Store) -> None:
        self._behind = behind
        self._kept: dict[str, _Kept] = {}
        self._static: dict[str, bytes] = {}
        self.workflow = behind.workflow
        self.workflow_version = behind.workflow_version
        self.variables = behind.variables
        self.credential = behind.credential

    # -- what workflows remember

    async def static_data(self, workflow_id: str) -> bytes | None:
        return self._static.get(workflow_id) or await self._behind.static_data(workflow_id)

    async def set_static_data(self, workflow_id: str, data: bytes, known: bytes | None) -> bool:
        """Nobody else writes it."""
        self._static[workflow_id] = data
        return True

    # -- executions

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        new = execution
        row = ExecutionRow(
            new.id, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at, None,
            None, new.retry_of,
        )  # fmt: skip
        self._kept[new.id] = _Kept(row, new.input, new.document, new.owner)
        if finished is not None:
            return self.finish_execution(finished)
        return _done()

    def append_steps(
        self, execution_id: str, steps: bytes, number: int, owner: str | None = None
    ) -> asyncio.Future[None]:
        return self._change(execution_id, steps, number, lambda row: row)

    def set_running(self, execution_id: str, started_at: int, owner: str | None = None) -> asyncio.Future[None]:
        return self._change(
            execution_id, b"", 0, lambda row: replace(row, status="running", started_at=started_at, resume_at=None)
        )

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None = None,
        keeper: str | None = None,
    ) -> asyncio.Future[None]:
        done = self._change(
            execution_id, steps, number, lambda row: replace(row, status="waiting", resume_at=resume_at)
        )
        self._own(execution_id, keeper)
        return done

    async def end_wait(self, execution_id: str, steps: bytes, number: int, owner: str | None = None) -> bool:
        kept = self._kept.get(execution_id)
        if kept is None or kept.row.status != "waiting":
            return False
        await self.append_steps(execution_id, steps, number)
        await self.set_running(execution_id, kept.row.started_at or kept.row.created_at)
        self._own(execution_id, owner)
        return True

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        end = finished
        return self._change(
            end.id,
            end.steps or b"",
            end.number,
            lambda row: replace(
                row,
                status=end.status,
                started_at=end.started_at,
                finished_at=end.finished_at,
                error=end.error,
                resume_at=None,
            ),
        )

    def update_call(
        self, update: CallUpdate, delivery: object = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        return _done()

    async def execution(self, execution_id: str) -> StoredExecution | None:
        kept = self._kept.get(execution_id)
        if kept is None:
            return None
        steps = [kept.steps[number] for number in sorted(kept.steps)]
        after = max(kept.steps, default=-1) + 1
        return StoredExecution(kept.row, kept.input, steps, kept.document, None, next_chunk=after, owner=kept.owner)

    async def standing(self, execution_id: str) -> Standing | None:
        kept = self._kept.get(execution_id)
        return None if kept is None else Standing(kept.row.finished_at is None, kept.owner)

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        return [
            name
            for name, kept in sorted(self._kept.items())
            if kept.row.finished_at is None
            and kept.row.status in statuses
            and (after is None or name > after)
            and (due is None or kept.row.status != "waiting" or (kept.row.resume_at or due + 1) <= due)
        ][:limit]

    # -- owners: there is one, which nobody takes anything from

    exclusive = True

    def register(self, incarnation: Incarnation) -> asyncio.Future[None]:
        return _done()

    async def claim_executions(
        self,
        owner: str,
        *,
        statuses: Sequence[OpenStatus],
        limit: int,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[Claimed]:
        free = await self.open_executions(
            statuses=statuses, after=None, limit=len(self._kept), due=-1 if due is None and only is None else due
        )
        found = [name for name in free if self._kept[name].owner is None and (only is None or name in only)][:limit]
        for name in found:
            self._own(name, owner)
        return [Claimed(name, self._kept[name].row.status, 1, taken_over=False) for name in found]  # type: ignore[arg-type]  # open ones

    async def owned_executions(self, owner: str) -> list[str]:
        return [name for name in sorted(self._kept) if self._kept[name].owner == owner]

    def release_executions(self, owner: str, execution_ids: Sequence[str]) -> asyncio.Future[None]:
        for name in execution_ids:
            self._own(name, None)
        return _done()

    async def leave(self, owner: str) -> None:
        """Nothing outlives the run."""

    async def ask_cancel(self, execution_id: str) -> bool:
        return False

    def _own(self, execution_id: str, owner: str | None) -> None:
        if execution_id in self._kept:
            self._kept[execution_id].owner = owner

    def _change(
        self, execution_id: str, steps: bytes, number: int, changed: Callable[[ExecutionRow], ExecutionRow]
    ) -> asyncio.Future[None]:
        kept = self._kept.get(execution_id)
        if kept is not None and kept.row.finished_at is None:
            if steps:
                kept.steps[number] = steps
            kept.row = changed(kept.row)
        return _done()


def _done() -> asyncio.Future[None]:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.set_result(None)
    return future
