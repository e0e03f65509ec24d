"""Calls and executions in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import orjson

from jackfield.api.records import replace

from ...api.call_places import body_in
from ...api.errors import Conflict
from ...api.storage import (
    KEEP_ALL,
    CallStatus,
    CallUpdate,
    Delivery,
    ExecutionFilter,
    ExecutionRow,
    FinishedExecution,
    NewCall,
    NewExecution,
    Page,
    Retention,
    StaticChange,
    StoredAnswer,
    StoredCall,
    StoredDelivery,
    StoredExecution,
    WebhookStats,
    static_changed,
)
from .insights import MemoryInsights
from .ownership import MemoryOwnership
from .tables import MemoryRun, page_of, taken


class MemoryCalls(MemoryOwnership):
    """Part of `MemoryStore`."""

    def add_call(self, call: NewCall) -> asyncio.Future[None]:
        return self._queued(lambda: self._add_call(call, None))

    def count_calls(
        self, webhook_id: str, count: int, time: int, status: CallStatus = "pending"
    ) -> asyncio.Future[None]:
        def counted() -> None:
            self._count(webhook_id, count, time)
            self._ended(webhook_id, status, count)

        return self._queued(counted)

    def update_call(
        self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        def change() -> None:
            self._expect_alive(owner)
            self._update_call(update, delivery)

        return self._queued(change)

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        self._answer()
        found = [
            each for each in self._calls.values() if each.webhook_id == webhook_id and status in (None, each.status)
        ]
        return page_of(sorted(found, key=lambda each: (each.time, each.id), reverse=True), offset, limit)

    async def delivery(self, webhook_id: str, key: str, now: int) -> StoredDelivery | None:
        self._answer()
        expires_at, delivery = self._deliveries.get((webhook_id, key), (now, None))
        return delivery if expires_at > now else None

    def _add_call(self, call: NewCall, execution_id: str | None, given: bytes = b"") -> None:
        if call.id in self._calls:
            raise taken()
        self._calls[call.id] = StoredCall(
            call.id, call.webhook_id, execution_id, call.time, call.method, orjson.loads(call.headers or b"{}"),
            body_in(given, call.places) if call.places else call.body, call.truncated, call.status,
            call.response_status, call.response_body, False, call.duration_ms,
            call.query,
            call.event,
        )  # fmt: skip
        self._count(call.webhook_id, 1, call.time)
        self._ended(call.webhook_id, call.status)

    def _count(self, webhook_id: str, count: int, time: int) -> None:
        old = self._stats.get(webhook_id, WebhookStats())
        last = time if old.last_call is None else max(old.last_call, time)
        self._stats[webhook_id] = replace(old, total_calls=old.total_calls + count, last_call=last)

    def _ended(self, webhook_id: str, status: str, count: int = 1) -> None:
        old = self._stats.get(webhook_id, WebhookStats())
        self._stats[webhook_id] = replace(
            old,
            success_calls=old.success_calls + count * (status == "success"),
            failed_calls=old.failed_calls + count * (status in ("failed", "timeout")),
            rejected_calls=old.rejected_calls + count * (status == "rejected"),
        )

    def _update_call(self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None) -> None:
        if delivery is not None:
            claim, answer = delivery
            known = self._deliveries.get((claim.webhook_id, claim.key))
            if known is not None and known[1].answer is None:
                told = replace(known[1], answer=answer)
                self._deliveries[claim.webhook_id, claim.key] = (known[0], told)
        old = self._calls.get(update.call_id)
        if old is None or old.webhook_id != update.webhook_id:
            return
        new = old
        if update.status is not None and old.status == "pending":
            new = replace(new, status=update.status)
            self._ended(update.webhook_id, update.status)
        if update.response_status is not None:
            new = replace(new, response_status=update.response_status)
        if update.response_body is not None:
            new = replace(new, response_body=update.response_body, response_truncated=update.response_truncated)
        if update.duration_ms is not None:
            new = replace(new, duration_ms=update.duration_ms)
        self._calls[old.id] = new


class MemoryExecutions(MemoryCalls, MemoryInsights):
    """Part of `MemoryStore`."""

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        return self._queued(lambda: self._add_execution(execution, finished))

    def append_steps(
        self, execution_id: str, steps: bytes, number: int, owner: str | None = None
    ) -> asyncio.Future[None]:
        def change() -> None:
            if not self._is_again(execution_id, number, owner):
                self._append(execution_id, steps, number)

        return self._queued(change)

    def set_running(self, execution_id: str, started_at: int, owner: str | None = None) -> asyncio.Future[None]:
        def change() -> None:
            self._expect_owner(execution_id, owner)
            self._change(execution_id, status="running", started_at=started_at, resume_at=None)

        return self._queued(change)

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None = None,
        keeper: str | None = None,
    ) -> asyncio.Future[None]:
        def change() -> None:
            if not self._is_again(execution_id, number, owner):
                self._append(execution_id, steps, number)
                self._change(execution_id, status="waiting", resume_at=resume_at)
                self._own(execution_id, keeper)

        return self._queued(change)

    async def end_wait(self, execution_id: str, steps: bytes, number: int, owner: str | None = None) -> bool:
        self._answer()
        self._expect_alive(owner)
        run = self._runs.get(execution_id)
        if run is None:
            return False
        if run.row.status != "waiting":
            return run.owner == owner and run.steps.get(number) == steps
        self._append(execution_id, steps, number)
        self._change(execution_id, status="running", resume_at=None)
        self._own(execution_id, owner)
        return True

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        def change() -> None:
            self._expect_owner(finished.id, finished.owner)
            self._finish(finished)

        return self._queued(change)

    async def execution(self, execution_id: str) -> StoredExecution | None:
        self._answer()
        run = self._runs.get(execution_id)
        if run is None:
            return None
        call = self._calls.get(run.call[0]) if run.call else None
        return StoredExecution(
            run.row, run.input, [run.steps[number] for number in sorted(run.steps)], run.document, run.call,
            call.status if call else None, max(run.steps, default=-1) + 1, run.owner, run.epoch,
        )  # fmt: skip

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        found: dict[str, StoredExecution] = {}
        for execution_id in execution_ids:
            stored = await self.execution(execution_id)
            most_bytes -= 0 if stored is None else len(stored.input) + sum(map(len, stored.steps))
            if most_bytes < 0:
                break
            if stored is not None:
                found[execution_id] = stored
        return found

    async def executions(self, where: ExecutionFilter, *, offset: int, limit: int) -> Page[ExecutionRow]:
        self._answer()
        found = sorted(self._matching(where), key=lambda row: (row.created_at, row.id), reverse=True)
        return page_of(found, offset, limit)

    async def execution_rows(self, execution_ids: Sequence[str]) -> list[ExecutionRow]:
        self._answer()
        found = [self._runs[execution_id].row for execution_id in {*execution_ids} if execution_id in self._runs]
        return sorted(found, key=lambda row: (row.created_at, row.id), reverse=True)

    async def execution_stats(self, where: ExecutionFilter) -> dict[str, int]:
        self._answer()
        counts: dict[str, int] = {}
        for row in self._matching(where):
            counts[row.status] = counts.get(row.status, 0) + 1
        return counts

    async def delete_execution(self, execution_id: str) -> bool:
        self._answer()
        run = self._runs.get(execution_id)
        if run is None:
            return False
        if run.row.finished_at is None:
            raise Conflict(f"The execution is {run.row.status}; cancel it first.", details={"status": run.row.status})
        self._delete_run(execution_id)
        return True

    async def known_executions(self, execution_ids: Sequence[str]) -> set[str]:
        self._answer()
        return {execution_id for execution_id in execution_ids if execution_id in self._runs}

    async def next_chunks(self, execution_ids: Sequence[str]) -> dict[str, int]:
        self._answer()
        found = {execution_id: self._runs[execution_id] for execution_id in execution_ids if execution_id in self._runs}
        return {execution_id: max(run.steps, default=-1) + 1 for execution_id, run in found.items()}

    async def pending_call(self, execution_id: str) -> tuple[str, str] | None:
        self._answer()
        found = (each for each in self._calls.values() if each.execution_id == execution_id)
        return next(((each.id, each.webhook_id) for each in found if each.status == "pending"), None)

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        self._answer()
        return [
            execution_id
            for execution_id, run in sorted(self._runs.items())
            if run.row.finished_at is None
            and run.row.status in statuses
            and (after is None or execution_id > after)
            and (due is None or run.row.status != "waiting" or _due(run.row, due))
        ][:limit]

    def _matching(self, where: ExecutionFilter) -> list[ExecutionRow]:
        return [
            row
            for row in (run.row for run in self._runs.values())
            if where.workflow_id in (None, row.workflow_id)
            and self._is_within("workflow", row.workflow_id, where.within)
            and where.status in (None, row.status)
            and where.mode in (None, row.mode)
            and (where.since is None or row.created_at >= where.since)
            and (where.until is None or row.created_at <= where.until)
        ]

    def _add_execution(self, new: NewExecution, finished: FinishedExecution | None) -> None:
        self._expect_alive(new.owner)
        known = self._runs.get(new.id)
        if known is not None and known.is_again(new):
            return
        if known is not None or (new.call and new.call.id in self._calls):
            raise taken()
        if new.delivery is not None:
            self._claim(new.delivery, new)
        if new.static is not None:
            self._remember(new.static)
        row = ExecutionRow(
            new.id, new.workflow_id, new.workflow_version, new.mode, new.status, new.created_at, new.started_at, None,
            None, new.retry_of,
        )  # fmt: skip
        call = (new.call.id, new.call.webhook_id) if new.call else None
        self._runs[new.id] = MemoryRun(row, new.input, {}, new.document, call, new.owner)
        if new.call is not None:
            self._add_call(new.call, new.id, new.input)
        if finished is not None:
            self._finish(finished)

    def _remember(self, change: StaticChange) -> None:
        saved = self._workflows.get(change.workflow_id)
        if saved is not None and saved.static_data != change.known:
            raise static_changed()
        if saved is not None:
            saved.static_data = change.data

    def _claim(self, delivery: Delivery, new: NewExecution) -> None:
        place = delivery.webhook_id, delivery.key
        if place in self._deliveries and self._deliveries[place][0] > new.created_at:
            raise Conflict("This delivery is known already.", details={"key": "was delivered before"})
        self._deliveries[place] = (delivery.expires_at, StoredDelivery(new.id, None, delivery.fingerprint))

    def _is_again(self, execution_id: str, number: int, owner: str | None) -> bool:
        """Whether this chunk is there already. Raises `Fenced`."""
        self._expect_alive(owner)
        run = self._runs.get(execution_id)
        if run is not None and number in run.steps:
            return True
        self._expect_owner(execution_id, owner)
        return False

    def _append(self, execution_id: str, steps: bytes, number: int) -> None:
        run = self._runs.get(execution_id)
        if steps and run is not None and run.row.finished_at is None:
            run.steps.setdefault(number, steps)

    def _own(self, execution_id: str, owner: str | None) -> None:
        run = self._runs.get(execution_id)
        if run is not None and run.row.finished_at is None:
            run.owner = owner

    def _change(self, execution_id: str, **changes: object) -> None:
        run = self._runs.get(execution_id)
        if run is not None and run.row.finished_at is None:
            run.row = replace(run.row, **changes)

    def _finish(self, end: FinishedExecution) -> None:
        self._append(end.id, end.steps or b"", end.number)
        self._change(
            end.id,
            status=end.status,
            started_at=end.started_at,
            finished_at=end.finished_at,
            error=end.error,
            resume_at=None,
        )
        if end.call is not None:
            self._update_call(end.call)
        if end.forget_at is not None:
            self._unsaved[end.id] = end.forget_at


class MemoryPruning(MemoryInsights):
    """Part of `MemoryStore`."""

    async def prune(self, retention: Retention) -> int:
        self._answer()
        gone = self._prune_executions(retention, retention.limit)
        gone += self._forget_unsaved(retention.now, retention.limit - gone)
        gone += self._prune_calls(retention, retention.limit - gone)
        return gone + self._prune_expired(retention, retention.limit - gone)

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        self._most_executions = self._most_executions if executions is None else executions
        self._most_calls = self._most_calls if calls is None else calls

    def _trim(self) -> None:
        if min(self._most_executions, self._most_calls) < KEEP_ALL:
            caps = Retention(0, self._most_executions, 0, self._most_calls, 0, KEEP_ALL)
            self._prune_executions(caps, caps.limit)
            self._prune_calls(caps, caps.limit)

    def _prune_executions(self, retention: Retention, limit: int) -> int:
        ended = [run.row for run in self._runs.values() if run.row.finished_at is not None]
        unfinished = self._unfinished()
        rows = [row for row in ended if row.id[14:15] != "8" or row.id[:13] not in unfinished]
        rows.sort(key=lambda row: (row.finished_at or 0, row.id))
        old = [row for row in rows if (row.finished_at or 0) < retention.executions_before]
        excess = len(ended) - retention.executions_keep
        doomed = (rows[:excess] if excess > len(old) else old)[:limit]
        for row in doomed:
            self._delete_run(row.id)
        return len(doomed)

    def _forget_unsaved(self, now: int, limit: int) -> int:
        unfinished = self._unfinished()
        due = [ident for ident, at in self._unsaved.items() if at <= now and ident[:13] not in unfinished][:limit]
        for ident in due:
            del self._unsaved[ident]
        gone = [ident for ident in due if ident in self._runs]
        for ident in gone:
            self._delete_run(ident)
        return len(gone)

    def _unfinished(self) -> set[str]:
        """How their ids begin, and those of executions that they may ask for."""
        return {run.row.id[:13] for run in self._runs.values() if run.row.finished_at is None}

    def _prune_calls(self, retention: Retention, limit: int) -> int:
        gone = 0
        for webhook_id in {call.webhook_id for call in self._calls.values()}:
            calls = [call for call in self._calls.values() if call.webhook_id == webhook_id]
            calls.sort(key=lambda call: (call.time, call.id))
            old = sum(call.time < retention.calls_before for call in calls)
            for call in calls[: min(max(old, len(calls) - retention.calls_keep, 0), limit - gone)]:
                del self._calls[call.id]
                gone += 1
        return gone

    def _prune_expired(self, retention: Retention, limit: int) -> int:
        deliveries = [key for key, (expiry, _) in self._deliveries.items() if expiry <= retention.now][:limit]
        for key in deliveries:
            del self._deliveries[key]
        tokens = [token_id for token_id, expiry in self._revoked.items() if expiry <= retention.now][
            : limit - len(deliveries)
        ]
        for token_id in tokens:
            del self._revoked[token_id]
        self._forget_counters(retention.calls_before)
        return len(deliveries) + len(tokens)

    def _forget_counters(self, before: int) -> None:
        """Counters of webhooks that are gone; a call that was under way may have left some."""
        kept = {webhook_id for saved in self._workflows.values() for webhook_id in saved.registered}
        for webhook_id, stats in list(self._stats.items()):
            if webhook_id not in kept and stats.last_call is not None and stats.last_call < before:
                del self._stats[webhook_id]


def _due(row: ExecutionRow, now: int) -> bool:
    return row.resume_at is not None and row.resume_at <= now
