"""The actions of the API on stored executions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest
from jackfield.api.errors import ExecutionTimeout, NotFound, StoreUnavailable
from jackfield.api.http import principal, request_id
from jackfield.api.object_references import load
from jackfield.api.records import replace
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.history.files import drop_files
from jackfield_workflows.saved.starting import StartRights
from jackfield_workflows.settings import WorkflowsSettings

if TYPE_CHECKING:
    from jackfield_workflows.history.retries import StartAt

END_LOOKS, END_LOOK = 50, 0.02
"""How often the store is asked for an end that is on its way to it, and the seconds between."""
RETRY_REQUEST = "jackfield_workflows.history.retries:retry_request"


class ExecutionActions:
    """Every method raises `NotFound` for an execution that is not there."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def find(self, execution_id: str) -> StoredExecution:
        found = await self._context.store.execution(known_id(execution_id, "execution"))
        if found is None:
            raise _unknown()
        return found

    async def whole(self, execution_id: str) -> StoredExecution:
        """With the outputs that are files."""
        return await with_outputs(self._context, await self.find(execution_id))

    async def delete(self, execution_id: str) -> None:
        """Raises `Conflict` while it is open."""
        if not await self._context.store.delete_execution(known_id(execution_id, "execution")):
            raise _unknown()
        await drop_files(self._context, execution_id)

    async def retry(self, stored: StoredExecution, start_at: StartAt, node: str = "") -> Execution:
        """The new execution, which is stored. Raises `AccessDenied`, `Conflict`, `InvalidInput`; see
        `retry_request`."""
        retry_request = cast("Callable[..., Awaitable[ExecutionRequest]]", load(RETRY_REQUEST))
        again = await retry_request(self._context, stored, start_at, node)
        await StartRights(self._context).check(again.workflow, principal())
        execution = self._context.port(Engine).submit(replace(again, request_id=request_id() or None))
        await asyncio.shield(execution.accepted)
        return execution

    async def stop(self, execution_id: str) -> None:
        """Cancel it, and wait for nothing. Raises `AccessDenied`, `Conflict`."""
        stored = await self.find(execution_id)
        await StartRights(self._context).check_run(stored.row)
        await self._context.port(Engine).cancel(stored.row.id)

    async def cancel(self, execution_id: str) -> StoredExecution:
        """The execution as it is then: over, and with it every process that it has started, unless a node takes longer
        than `workflows.cancel_timeout` to stop. Raises `Conflict` when it was over."""
        stored = await self.find(execution_id)
        await StartRights(self._context).check_run(stored.row)
        engine = self._context.port(Engine)
        await engine.cancel(stored.row.id)
        with contextlib.suppress(ExecutionTimeout, StoreUnavailable):
            await engine.result(stored.row.id, self._context.settings(WorkflowsSettings).cancel_timeout)
            return await self._stored_end(stored)
        return await self._context.store.execution(stored.row.id) or stored

    async def _stored_end(self, before: StoredExecution) -> StoredExecution:
        """The end is written a moment after it is known."""
        stored = before
        for _ in range(END_LOOKS):
            stored = await self._context.store.execution(before.row.id) or stored
            if stored.row.status not in OPEN_STATUSES:
                break
            await self._context.clock.sleep(END_LOOK)
        return stored


def _unknown() -> NotFound:
    return NotFound("There is no execution with this id.")
