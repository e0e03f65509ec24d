"""The steps after a committed change to a workflow: caches forget it, triggers serve it, other daemons hear of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

from jackfield.api.bus import WORKFLOW_CHANGED, Bus
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.memos import Memos, leased
from jackfield.api.projects import reaching
from jackfield.api.triggers import WorkflowChange
from jackfield.api.workflows import Workflow
from jackfield_workflows.activation.attention import Attention
from jackfield_workflows.activation.trigger_calls import TriggerCalls
from jackfield_workflows.saved.confirming import Confirming

_LEASE, _LEASE_S = "workflow-writer", 30.0
"""Kind of the lease, and seconds that a change may take at most until another daemon may begin one."""
Action: TypeAlias = Literal["saved", "activated", "deactivated", "deleted"]


class Following:
    """One per daemon, as a part."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._writers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By workflow: in whose order changes of this daemon ask for the lease."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By workflow: what is being served."""
        self._triggers = context.port(TriggerCalls)

    @contextlib.asynccontextmanager
    async def one_at_a_time(self, workflow_id: str) -> AsyncIterator[None]:
        """Nothing else changes this workflow here, or follows a change to it."""
        lock = self._locks.setdefault(workflow_id, asyncio.Lock())
        async with lock:
            yield

    @contextlib.asynccontextmanager
    async def alone(self, workflow_id: str) -> AsyncIterator[None]:
        """Nobody else changes this workflow, at no daemon of the store. Changes of others are followed while the lease
        is waited for: that of a daemon that died with it takes its time. Raises `StoreUnavailable`."""
        memos, clock = self._context.port(Memos), self._context.clock
        writer = self._writers.setdefault(workflow_id, asyncio.Lock())
        async with (
            writer,
            leased(memos, _LEASE, workflow_id, _LEASE_S, clock),
            self.one_at_a_time(workflow_id),
        ):
            yield

    async def follow(
        self, action: Action, workflow_id: str, name: str, version: int, workflow: Workflow | None = None
    ) -> None:
        """After the commit, which no failure makes undone. workflow: None after a deletion."""
        async with self._context.port(Confirming).confirmed() as change:
            self._context.port(Bus).publish(WORKFLOW_CHANGED, {"id": workflow_id, "change": change})
            await self._serve(WorkflowChange(workflow_id, action, workflow))
        active = workflow is not None and workflow.active
        self.publish(action, workflow_id, name, version, active=active)

    def publish(self, action: str, workflow_id: str, name: str, version: int, *, active: bool) -> None:
        """Tell whoever listens to this daemon's events."""
        data = {"id": workflow_id, "name": name, "version": version, "active": active}
        self._context.events.publish("workflows", f"workflow.{action}", data)

    async def catch_up(self, workflow_id: str) -> None:
        """Serve what another daemon has made of a workflow. One that nobody can read is served by nobody, as if it were
        deleted. Raises `StoreUnavailable`."""
        async with self.one_at_a_time(workflow_id):
            self._context.port(WorkflowReader).forget(workflow_id)
            workflow = await self._readable(workflow_id)
            await self._serve(WorkflowChange(workflow_id, "deleted" if workflow is None else "saved", workflow))
        self._publish_change(workflow_id, workflow)

    def _publish_change(self, workflow_id: str, workflow: Workflow | None) -> None:
        if workflow is None:
            self._context.events.publish("workflows", "workflow.deleted", {"id": workflow_id})
        else:
            self.publish("saved", workflow_id, workflow.name, workflow.version, active=workflow.active)

    async def _readable(self, workflow_id: str) -> Workflow | None:
        try:
            return await self._context.port(WorkflowReader).load(workflow_id)
        except (StoreUnavailable, NotFound) as exc:
            if isinstance(exc, StoreUnavailable):
                raise
        except JackfieldError as exc:
            about = {"workflowId": workflow_id}
            self._context.log.error("A workflow of another daemon cannot be read: %s", exc.message, extra=about)
        return None

    async def _serve(self, change: WorkflowChange) -> None:
        self._context.port(WorkflowReader).forget(change.workflow_id)
        with reaching(None):  # triggers look at more than whoever changes one workflow may see
            await self._triggers.follow(change)
            await self._context.port(Attention).follow(change)
