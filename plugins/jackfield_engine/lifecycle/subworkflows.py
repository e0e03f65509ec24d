"""Executions that run inside a node of another one.

A child's id follows from its parent's node run, so a parent that resumes after a crash finds the children that it had
started. It does not run them again. A child runs in its parent's slot: the parent does nothing meanwhile.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable

from jackfield.api.context import WorkflowReader
from jackfield.api.engine import Durability, ExecutionRequest, Outcome
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.history import stored_json
from jackfield.api.nodes import NodeCatalog, NodeError, entry_items
from jackfield.api.records import record
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import OPEN_STATUSES
from jackfield.api.workflows import Document, Item, Items, Workflow
from jackfield_engine.lifecycle.callers import refusal
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.lifecycle.resuming import outcome_of
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.waiting import Waiting
from jackfield_engine.loop.tasks import Task
from jackfield_engine.run.handles import Handle
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.state import ENDING, RunEvent, RunState
from jackfield_engine.shared.item_files import keep_files
from jackfield_engine.shared.services import Services

STARTS = ("executeWorkflowTrigger", "start", "manualTrigger")


PAGE = 100


def child_prefix(parent: str) -> str:
    """How the ids of a parent's children begin: the parent's time, then a digest of its id."""
    digest = hashlib.sha256(parent.encode()).hexdigest()
    return f"{parent[:13]}-8{digest[:3]}-a{digest[3:6]}-"


def child_id(parent: str, *call: object) -> str:
    """A UUID that is the same for the same call."""
    return child_prefix(parent) + hashlib.sha256(repr((parent, *call)).encode()).hexdigest()[:12]


def is_child(execution_id: str) -> bool:
    """Whether the id is one of `child_id`."""
    return execution_id[14:15] == "8" and execution_id[19:20] == "a"


def loose_id(parent: str, *call: object) -> str:
    """The same for one that runs on its own: not among the children by its prefix."""
    digest = hashlib.sha256(repr((parent, *call)).encode()).hexdigest()
    return f"{parent[:13]}-8{digest[:3]}-b{digest[3:6]}-{digest[6:18]}"


def _shown(workflow: str | Document) -> str:
    """The name of a workflow in messages, the same for the same document."""
    if isinstance(workflow, str):
        return workflow
    digest = hashlib.sha256(stored_json(workflow)).hexdigest()[:12]
    return f"{str(workflow.get('name') or 'given here')[:80]} ({digest})"


@record
class ChildStarter:
    """The engine's work for children. `begin`: starts an execution under an id, whether within its parent's slot.
    `cancel`: ends one. `fill`: gives free slots to others. `watch`: looks for its end, whichever daemon it comes to."""

    begin: Callable[[ExecutionRequest, str, bool], Handle]
    cancel: Callable[[str], Awaitable[None]]
    fill: Callable[[], None]
    watch: Callable[[Handle], None]


class Children:
    """Runs sub-workflows for the engine."""

    def __init__(
        self,
        services: Services,
        live: LiveRuns,
        scheduler: Scheduler,
        waiting: Waiting,
        recovery: Recovery,
        starter: ChildStarter,
    ) -> None:
        self._services = services
        self._live = live
        self._scheduler = scheduler
        self._waiting = waiting
        self._recovery = recovery
        self._starter = starter
        self._parents: dict[str, LiveRun] = {}

    async def run(self, parent: LiveRun, task: Task, workflow: str | Document, items: Items) -> Items:
        """Run a workflow to its end and give the items of its last node. Raises `NodeError`."""
        shown = _shown(workflow)
        name = child_id(parent.id, *_call(parent, task, shown))
        handle = await self._found(parent, task, name)
        if handle is None:
            request = await self._request(workflow, items, parent, "finish")
            handle = self._begun(request, name, within=True)
        outcome = handle if isinstance(handle, Outcome) else await self._wait(parent, handle)
        found = result_of(outcome, shown)
        await keep_files(self._services.context, parent.id, found)
        return found

    async def start(self, parent: LiveRun, task: Task, workflow: str | Document, items: Items) -> None:
        """Start a workflow that runs on its own, also when its parent is cancelled. Raises `NodeError`."""
        shown = _shown(workflow)
        name = loose_id(parent.id, *_call(parent, task, shown))
        if await self._found(parent, task, name) is not None:
            return
        handle = self._begun(await self._request(workflow, items, parent, "accept"), name, within=False)
        try:
            await asyncio.shield(handle.accepted)
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None

    def parked(self, child: LiveRun) -> None:
        """A child waits, so that the slot in which it ran is free for others. When it waits for long, its parent leaves
        the memory like itself; once it is back, it finds what came of the child."""
        parent = self._parents.get(child.id)
        if parent is None:
            return
        wait = child.wait
        if wait is not None and wait.until is not None and not wait.for_call and not self._waiting.soon(child):
            parent.park(wait.until)
        if wait is not None and wait.for_call:
            self._starter.watch(child.handle)
        holder: LiveRun | None = parent
        while holder is not None and not self._scheduler.has_slot(holder):
            holder = self._parents.get(holder.id)
        if holder is not None:
            self._scheduler.lend(holder)
            self._starter.fill()

    async def _wait(self, parent: LiveRun, handle: Handle) -> Outcome:
        self._parents[handle.id] = parent
        handle.accepted.add_done_callback(lambda accepted: _delegate(parent, accepted))
        try:
            return await asyncio.shield(handle.finished)
        except asyncio.CancelledError:
            if parent.state in ENDING:
                await self._cancel(handle.id)
            raise
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None
        finally:
            del self._parents[handle.id]
            self._scheduler.take_back(parent)

    async def cancel_all(self, parent: str) -> None:
        """Cancel the open children of an execution that has ended, also those that an earlier process started or that
        stand only in the store."""
        prefix = after = child_prefix(parent)
        try:
            while ids := await self._services.store.open_executions(statuses=OPEN_STATUSES, after=after, limit=PAGE):
                for child in ids:
                    if not child.startswith(prefix):
                        return
                    await self._cancel(child)
                after = ids[-1]
        except JackfieldError as exc:
            self._services.context.log.warning("children of execution %s were not cancelled: %s", parent, exc.message)

    async def _cancel(self, execution_id: str) -> None:
        try:
            await self._starter.cancel(execution_id)
        except JackfieldError as exc:
            self._services.context.log.info("sub-execution %s was not cancelled: %s", execution_id, exc.message)

    async def _found(self, parent: LiveRun, task: Task, name: str) -> Handle | Outcome | None:
        """The child of a node run that may have been interrupted."""
        interrupted = parent.progress.interrupted
        if interrupted is None or (task.index < interrupted and task.resumed is None):
            return None
        try:
            return await self._adopt(parent, name)
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None

    async def _adopt(self, parent: LiveRun, execution_id: str) -> Handle | Outcome | None:
        """An execution that an earlier process had started for a parent: its end, or what to wait for. It runs at once,
        because the parent has a slot for it. Raises `StoreUnavailable`."""
        handle = self._live.handles.of(execution_id)
        child = self._live.runs.get(execution_id)
        if child is None:
            stored = await self._services.store.execution(execution_id)
            if stored is None:
                return None
            if stored.row.status not in OPEN_STATUSES:
                return outcome_of(await with_outputs(self._services.context, stored))
            lease = self._services.lease
            if not await lease.own(execution_id, stored.owner):
                outcome = await self._recovery.elsewhere(execution_id)
                return outcome if outcome is not None else await self._adopt(parent, execution_id)
            if (seconds := self._recovery.put_off(stored)) > 0:
                await self._put_off(parent, seconds)
                return await self._adopt(parent, execution_id)
            kept = lease.kept(execution_id)
            child = await self._recovery.load(stored, kept)
            if child is None:
                child = self._live.runs.get(execution_id)
            elif child.wait is None:
                child.move(RunEvent.START)
                return handle
            else:
                child.move(RunEvent.HOLD)
        self._go_on(child)
        return handle

    async def _put_off(self, parent: LiveRun, seconds: float) -> None:
        """The daemon ended unexpectedly with the child: meanwhile the slot is for others, and what happens is not the
        parent's doing."""
        parent.disk.delegate()
        if self._scheduler.has_slot(parent):
            self._scheduler.lend(parent)
            self._starter.fill()
        try:
            await self._services.clock.sleep(seconds)
        finally:
            self._scheduler.take_back(parent)

    def _go_on(self, child: LiveRun | None) -> None:
        """One that waits for its turn runs at once. One that waits for a time leaves the slot to others, as soon as its
        parent waits for it."""
        if child is None:
            return
        if child.state is RunState.QUEUED:
            self._scheduler.withdraw(child)
            child.move(RunEvent.START)
        elif child.state in (RunState.WAITING, RunState.GONE):
            asyncio.get_running_loop().call_soon(self.parked, child)

    def _begun(self, request: ExecutionRequest, name: str, *, within: bool) -> Handle:
        try:
            return self._starter.begin(request, name, within)
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None

    async def _request(
        self, wanted: str | Document, items: Items, parent: LiveRun, durability: Durability
    ) -> ExecutionRequest:
        depth = parent.request.depth + 1
        limit = self._services.settings.max_depth
        if depth > limit:
            raise NodeError(f"Workflows call each other more than {limit} deep; does one call itself without an end?")
        context = self._services.context
        workflow = await self._workflow(wanted)
        if isinstance(wanted, str) and (reason := refusal(workflow, parent.request.workflow.id)):
            raise NodeError(f"The workflow '{workflow.name}' does not let this one run it: {reason}")
        start = start_of(workflow)
        given = items or [Item(json={})]
        return ExecutionRequest(
            workflow=workflow,
            mode="sub",
            start=start,
            items=entry_items(workflow, start, given, context.port(NodeCatalog)) or given,
            durability=durability,
            depth=depth,
            request_id=parent.request.request_id,
            hidden=parent.disk.hidden or None,
        )

    async def _workflow(self, wanted: str | Document) -> Workflow:
        reader = self._services.context.port(WorkflowReader)
        try:
            if isinstance(wanted, str):
                return await reader.load(wanted)
            return await reader.parse_unsaved({"name": "Sub-workflow", **wanted})
        except NotFound:
            raise NodeError(f"There is no workflow with the id '{wanted}' to run.") from None
        except InvalidInput as exc:
            places = "; ".join(f"{path}: {message}" for path, message in (exc.details or {}).items())
            raise NodeError(f"The given workflow is not valid. {places[:500]}") from None
        except JackfieldError as exc:
            raise NodeError(f"The sub-workflow did not run: {exc.message}") from None


def _call(parent: LiveRun, task: Task, shown: str) -> tuple[object, ...]:
    """A node run that goes on after a wait counts its sub-workflows anew."""
    call = (task.index, task.step.node.name, shown, parent.next_child(task), *task.asked)
    return (*call, task.waits) if task.waits else call


def _delegate(parent: LiveRun, accepted: asyncio.Future[None]) -> None:
    """From when the store has the child, crashes count against the child and not against its parent."""
    if not accepted.cancelled() and accepted.exception() is None:
        parent.disk.delegate()


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
