"""Executions that wait for a call: what it must be like, and how exactly one call wakes them.

A wait for a call stands in the store alone. What a call brings is stored as the result of the node that waits, in the
step that ends the wait; so it is durable before the caller hears of it, and a second call finds no wait. From there on
the execution goes on like one that an earlier process left open.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from jackfield.api.engine import WaitingCall
from jackfield.api.errors import Conflict, NotFound, StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield.api.storage import StoredExecution
from jackfield.api.workflows import Item, Items, PairedItem
from jackfield_workflows.handles import Handle
from jackfield_workflows.item_files import keep_files, without_large_data
from jackfield_workflows.records import Record, awaited_call, chunk, decode, encode, outputs_of
from jackfield_workflows.resuming import CannotResume, request_of
from jackfield_workflows.services import Services


class Taker(Protocol):
    """The engine, as far as calls concern it."""

    async def suspended(self, execution_id: str) -> None: ...

    def let_go(self, execution_id: str) -> bool: ...

    async def called(self, stored: StoredExecution) -> Handle: ...

    def called_later(self, execution_id: str) -> Handle: ...


class Calls:
    """Wakes executions that a call was for."""

    def __init__(self, services: Services, engine: Taker) -> None:
        self._services = services
        self._engine = engine
        self._resuming: set[str] = set()
        self._tasks: set[asyncio.Task[Handle]] = set()

    def resuming(self, execution_id: str) -> bool:
        """Whether a call is being stored, so that nobody else may take the execution up."""
        return execution_id in self._resuming

    async def waiting(self, execution_id: str) -> WaitingCall:
        """Raises `NotFound`, `Conflict`, `StoreUnavailable`."""
        await self._engine.suspended(execution_id)
        return await self._waiting(await self._find(execution_id))

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Handle:
        """A caller that goes away does not stop it. Raises `Conflict`, `StoreUnavailable`."""
        task = asyncio.ensure_future(self._resume(waiting, items))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _resume(self, waiting: WaitingCall, items: Items | None) -> Handle:
        execution_id = waiting.execution_id
        if execution_id in self._resuming:
            raise _over()
        self._resuming.add(execution_id)
        try:
            stored = await self._find(execution_id)
            record = (await self._last(stored, waiting.index)).copy()
            if not self._engine.let_go(execution_id):
                raise _over()
            record["duration"] = max(self._services.clock.now_ms() - record["startedAt"], 0)
            if items is not None:
                given = await self._kept(execution_id, items)
                record["outputs"] = [paired(given, outputs_of(record, []) or [])]
            steps = chunk([encode(record)])
            if not await asyncio.shield(self._services.store.end_wait(execution_id, steps)):
                raise _over()
        finally:
            self._resuming.discard(execution_id)
        return await self._go_on(execution_id)

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
        try:
            return await self._engine.called(await self._find(execution_id))
        except StoreUnavailable:
            # Taken up once the store answers, like anything that did not fit into memory.
            return self._engine.called_later(execution_id)

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
        return WaitingCall(stored.row.id, record["index"], request.workflow, node, request.mode, call, request.start)

    async def _last(self, stored: StoredExecution, index: int | None) -> Record:
        """The node run that waits; the one of this index. Raises `Conflict`."""
        status = stored.row.status
        if status in ("queued", "running"):
            raise Conflict("The execution is running; it does not wait for a call now.", details={"status": status})
        if status != "waiting":
            raise _over(status)
        if awaited_call(stored.steps) is None:
            raise Conflict("The execution waits for a time, not for a call.", details={"status": status})
        record = decode(stored.steps)[-1]
        if index is not None and record["index"] != index:
            raise _over()
        return record

    async def _find(self, execution_id: str) -> StoredExecution:
        stored = await self._services.store.execution(execution_id)
        if stored is None:
            raise NotFound("There is no execution that waits here.")
        return stored


def paired(items: Items, waited: list[Items]) -> Items:
    """The call's items, paired with those that waited."""
    count = sum(len(each) for each in waited)
    pairs: list[PairedItem] = [{"item": index} for index in range(count)]
    pairing: PairedItem | list[PairedItem] = pairs[0] if count == 1 else pairs
    return [_with(item, pairing) for item in items]


def _with(item: Item, pairing: PairedItem | list[PairedItem]) -> Item:
    return item if "pairedItem" in item else {**item, "pairedItem": pairing}


def _over(status: str | None = None) -> Conflict:
    return Conflict(
        "The execution does not wait for this call any more; it was made already, or too late.",
        details={"status": status} if status else None,
    )
