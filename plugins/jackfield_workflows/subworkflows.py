"""Executions that run inside a node of another one.

A child's id follows from its parent's node run, so that a parent that resumes after a crash finds the children that it
had started, instead of running them again. A child runs in its parent's slot: the parent does nothing meanwhile.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Protocol

from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Item, Items, Workflow
from jackfield_workflows.execution import Run
from jackfield_workflows.handles import Handle
from jackfield_workflows.services import Services
from jackfield_workflows.tasks import Task

STARTS = ("executeWorkflowTrigger", "start", "manualTrigger")


class Parent(Protocol):
    """The engine, as far as children concern it."""

    def begin(self, request: ExecutionRequest, execution_id: str, *, within: bool = False) -> Handle: ...

    async def cancel(self, execution_id: str) -> None: ...

    async def adopt(self, execution_id: str) -> Handle | Outcome | None: ...

    def lend(self, run: Run) -> None: ...

    def give_back(self, run: Run) -> None: ...

    def soon(self, run: Run) -> bool: ...


def child_id(parent: str, *call: object) -> str:
    """A UUID that is the same for the same call: the parent's time, then a digest."""
    digest = hashlib.sha256(repr((parent, *call)).encode()).hexdigest()
    return f"{parent[:13]}-8{digest[:3]}-a{digest[3:6]}-{digest[6:18]}"


class Children:
    """Runs sub-workflows for the engine."""

    def __init__(self, services: Services, engine: Parent) -> None:
        self._services = services
        self._engine = engine
        self._parents: dict[str, Run] = {}

    async def run(self, parent: Run, task: Task, workflow_id: str, items: Items) -> Items:
        """Run a saved workflow to its end and give the items of its last node. Raises `NodeError`."""
        depth = parent.request.depth + 1
        limit = self._services.settings.max_depth
        if depth > limit:
            raise NodeError(f"Workflows call each other more than {limit} deep; does one call itself without an end?")
        node = task.step.node.name
        name = child_id(parent.id, task.index, node, workflow_id, parent.next_child(task))
        handle = await self._found(parent, task, name) or await self._begun(name, workflow_id, items, depth, parent)
        if isinstance(handle, Outcome):
            return result_of(handle, workflow_id)
        return result_of(await self._wait(parent, handle), workflow_id)

    def parked(self, child: Run) -> None:
        """A child waits, so that the slot in which it ran is free for others. When it waits for long, its parent leaves
        the memory like itself; once it is back, it finds what came of the child."""
        parent = self._parents.get(child.id)
        if parent is None:
            return
        if not self._engine.soon(child) and child.resume_at is not None:
            parent.park(child.resume_at)
        holder: Run | None = parent
        while holder is not None and not holder.has_slot:
            holder = self._parents.get(holder.id)
        if holder is not None:
            self._engine.lend(holder)

    async def _wait(self, parent: Run, handle: Handle) -> Outcome:
        self._parents[handle.id] = parent
        try:
            return await asyncio.shield(handle.finished)
        except asyncio.CancelledError:
            if parent.ending in ("cancelled", "timeout"):
                await self._cancel(handle.id)
            raise
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None
        finally:
            del self._parents[handle.id]
            self._engine.give_back(parent)

    async def _cancel(self, execution_id: str) -> None:
        try:
            await self._engine.cancel(execution_id)
        except JackfieldError as exc:
            self._services.context.log.info("sub-execution %s was not cancelled: %s", execution_id, exc.message)

    async def _found(self, parent: Run, task: Task, name: str) -> Handle | Outcome | None:
        """The child of a node run that may have been interrupted."""
        if parent.interrupted is None or task.index < parent.interrupted:
            return None
        try:
            return await self._engine.adopt(name)
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None

    async def _begun(self, name: str, workflow_id: str, items: Items, depth: int, parent: Run) -> Handle:
        try:
            workflow = await self._services.context.workflows.load(workflow_id)
            request = ExecutionRequest(
                workflow=workflow,
                mode="sub",
                start=start_of(workflow),
                items=items or [Item(json={})],
                durability="finish",
                depth=depth,
                request_id=parent.request.request_id,
            )
            return self._engine.begin(request, name, within=True)
        except NotFound:
            raise NodeError(f"There is no workflow with the id '{workflow_id}' to run.") from None
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None


def start_of(workflow: Workflow) -> str:
    """Where another workflow enters this one. Raises `NodeError`."""
    enabled = [node for node in workflow.nodes.values() if not node.disabled]
    for kind in STARTS:
        for node in enabled:
            if node.kind == kind:
                return node.name
    raise NodeError(
        f"The workflow '{workflow.name}' cannot be run by another one; add an Execute Workflow Trigger to it."
    )


def result_of(outcome: Outcome, workflow_id: str) -> Items:
    """The items of a child that succeeded, no longer paired with what is inside it. Raises `NodeError`."""
    if outcome.status == "success":
        return [_plain(item) for item in outcome.items]
    if outcome.failure is None:
        raise NodeError(f"The sub-workflow '{workflow_id}' was cancelled.")
    where = f" at the node '{outcome.failure.node}'" if outcome.failure.node else ""
    raise NodeError(f"The sub-workflow '{workflow_id}' failed{where}: {outcome.failure.message}")


def _plain(item: Item) -> Item:
    plain: Item = {"json": item["json"]}
    if "binary" in item:
        plain["binary"] = item["binary"]
    return plain
