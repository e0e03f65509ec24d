"""Executions that wait for a call: what it must be like, and how exactly one call wakes them.

A wait for a call stands in the store alone. The data of a call is stored as the result of the node that waits, in the
step that ends the wait. So it is durable before the caller hears of it, and a second call finds no wait. From there on
the execution goes on like one that an earlier process left open.
"""

from __future__ import annotations

import asyncio

from jackfield.api.caller_secrets import hidden_in, hide
from jackfield.api.engine import WaitingCall
from jackfield.api.errors import Conflict, Fenced, NotFound, StoreUnavailable
from jackfield.api.history import NodeRecord, node_records, outputs_of
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import is_long, pairs, with_pair
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield.api.workflows import Items
from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.resuming import CannotResume, outcome_of, request_of, within_slices
from jackfield_engine.run.handles import Handle
from jackfield_engine.run.marks import awaited_call
from jackfield_engine.run.state import RunEvent, RunState
from jackfield_engine.run.stored_form import encode, encode_long
from jackfield_engine.shared.item_files import keep_files, without_large_data
from jackfield_engine.shared.services import Services


class Calls:
    """Wakes executions that a call was for."""

    def __init__(self, services: Services, live: LiveRuns, backlog: Backlog) -> None:
        self._services = services
        self._live = live
        self._backlog = backlog
        self._tasks: set[asyncio.Task[Handle]] = set()

    async def waiting(self, execution_id: str) -> WaitingCall:
        """Raises `NotFound`, `Conflict`, `StoreUnavailable`."""
        run = self._live.runs.get(execution_id)
        if run is not None and run.task is not None and run.state is RunState.SUSPENDING:
            await asyncio.wait([run.task])
        return await self._waiting(await self._find(execution_id))

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Handle:
        """A caller that goes away does not stop it. Raises `Conflict`, `StoreUnavailable`."""
        task = asyncio.ensure_future(self._resume(waiting, items))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _resume(self, waiting: WaitingCall, items: Items | None) -> Handle:
        execution_id = waiting.execution_id
        if not self._live.reserve(execution_id):
            raise _over()
        try:
            stored = await self._find(execution_id)
            record = (await self._last(stored, waiting.index)).copy()
            if not self._let_go(execution_id):
                raise _over()
            record["duration"] = max(self._services.clock.now_ms() - record["startedAt"], 0)
            if awaited_call(stored.steps) != waiting.call:  # the same node run waits for another answer by now
                raise _over()
            if items is not None:
                given = await self._kept(execution_id, items)
                if "suspended" in record:
                    record["suspended"] = {**record["suspended"], "items": given}
                else:
                    record["outputs"] = [paired(given, outputs_of(record, []) or [])]
            long = items is not None and is_long([items])
            data = await asyncio.to_thread(encode_long, record) if long else encode(record)
            steps = hide(b"[" + data + b"]", hidden_in(items or [], waiting.workflow.nodes))
            if not await self._end_wait(execution_id, steps, stored.next_chunk):
                raise _over()
        finally:
            self._live.free(execution_id)
        return await self._go_on(execution_id)

    async def _end_wait(self, execution_id: str, steps: bytes, number: int) -> bool:
        """Make it this daemon's. Raises `StoreUnavailable`."""
        lease = self._services.lease
        life = lease.life
        try:
            return await asyncio.shield(self._services.store.end_wait(execution_id, steps, number, life.id))
        except Fenced as exc:
            lease.suspect(life)
            raise StoreUnavailable(exc.message) from None
        except StoreUnavailable:
            lease.doubt()
            raise

    def _let_go(self, execution_id: str) -> bool:
        """Forget an execution that waits; False when it does not wait, as it runs already."""
        run = self._live.runs.get(execution_id)
        if run is None:
            return True
        if run.state is not RunState.WAITING:
            return False
        run.move(RunEvent.FORGET)
        return True

    async def _kept(self, execution_id: str, items: Items) -> Items:
        """The items with the execution's own share in their files. Raises `StoreUnavailable`."""
        context = self._services.context
        await keep_files(context, execution_id, items)
        try:
            (kept,) = await without_large_data(context, execution_id, [items])
        except NodeError as exc:
            raise StoreUnavailable(exc.message) from None
        return kept

    async def _go_on(self, execution_id: str) -> Handle:
        """The call is stored, whatever happens now."""
        lease = self._services.lease
        self._backlog.awaited.add(execution_id)
        lease.claimed.pop(execution_id, None)  # the call has ended the wait that somebody may have claimed here
        kept = lease.kept(execution_id)
        try:
            with self._live.reading(execution_id):
                stored = await self._find(execution_id)
                handle = self._renewed(execution_id)
                if stored.row.status in OPEN_STATUSES:
                    await self._backlog.take(stored, kept)
                else:
                    handle.over(outcome_of(stored))
        except StoreUnavailable:
            # Taken up once the store answers, like anything that did not fit into memory.
            handle = self._renewed(execution_id)
            self._backlog.add(execution_id)
        finally:
            self._backlog.awaited.discard(execution_id)
        return handle

    def _renewed(self, execution_id: str) -> Handle:
        handle = self._live.handles.of(execution_id)
        handle.renew()
        return handle

    async def _waiting(self, stored: StoredExecution) -> WaitingCall:
        record = await self._last(stored, None)
        try:
            request = await request_of(self._services.context, stored)
        except CannotResume as exc:
            raise Conflict(f"The execution cannot go on. {exc}") from None
        node = request.workflow.nodes.get(record["node"])
        call = awaited_call(stored.steps)
        if node is None or call is None:
            raise _over()
        return WaitingCall(
            stored.row.id, record["index"], request.workflow, node, request.mode, call, request.start,
            record["startedAt"], stored.row.resume_at,
        )  # fmt: skip

    async def _last(self, stored: StoredExecution, index: int | None) -> NodeRecord:
        """The node run that waits; the one of this index. Raises `Conflict`."""
        status = stored.row.status
        if status in ("queued", "running"):
            raise Conflict("The execution is running; it does not wait for a call now.", details={"status": status})
        if status != "waiting":
            raise _over(status)
        if awaited_call(stored.steps) is None:
            raise Conflict("The execution waits for a time, not for a call.", details={"status": status})
        record = (await within_slices(stored, lambda: node_records(stored.steps)))[-1]
        if index is not None and record["index"] != index:
            raise _over()
        return record

    async def _find(self, execution_id: str) -> StoredExecution:
        stored = await self._services.store.execution(execution_id)
        if stored is None:
            raise NotFound("There is no execution that waits here.")
        return await with_outputs(self._services.context, stored)


def paired(items: Items, waited: list[Items]) -> Items:
    """The call's items, paired with those that waited."""
    count = sum(len(each) for each in waited)
    pairing = 0 if count == 1 else pairs(range(count))
    return [with_pair(item, pairing) for item in items]


def _over(status: str | None = None) -> Conflict:
    return Conflict(
        "The execution does not wait for this call any more; it was made already, or too late.",
        details={"status": status} if status else None,
    )
