"""A run in the command's own process: no daemon, no history, nothing written to the store."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Sequence
from typing import Any, cast

from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest, Outcome, TemporaryEngines
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeCatalog, NodeError, NodeOutline, NodeResult, NodeRun, NodeType, Suspend, entry_node
from jackfield.api.scripts import SCRIPT_ENGINES
from jackfield.api.workflows import Items, Node, Workflow
from jackfield_workflows.cli.progress import CommandOutcome, RunPrinter
from jackfield_workflows.history.files import drop_files
from jackfield_workflows.history.views import failure_view
from jackfield_workflows.starts import chosen_start, start_items

DRAIN_S = 2.0
NO_CALLS = "The workflow waits for a call or a form, which only a running daemon can take; start one and run it there."


class WatchedNode:
    """A node type whose runs the user sees."""

    def __init__(self, node_type: NodeType, progress: RunPrinter, calls: asyncio.Event) -> None:
        """calls: set when a run waits for a call."""
        self._type = node_type
        self._progress = progress
        self._calls = calls

    def __getattr__(self, name: str) -> object:
        return getattr(self._type, name)

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        return self._watched(run)

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items | None:
        """See `EntryNode`."""
        found = entry_node(self._type)
        return found.entry(node, workflow, items) if found else items

    async def _watched(self, run: NodeRun) -> NodeResult:
        begun = time.monotonic()
        try:
            result = await self._type.execute(run)
        except Exception as exc:
            message = exc.message if isinstance(exc, NodeError) else f"{type(exc).__name__} in the node's own code"
            self._progress.node(run.node.name, _since(begun), 0, message)
            raise
        if isinstance(result, Suspend):
            self._progress.waiting(run.node.name)
            if result.until is None:
                self._calls.set()
        else:
            self._progress.node(run.node.name, _since(begun), sum(map(len, result)))
        return result


class WatchedCatalog:
    """`NodeCatalog` of `WatchedNode`s."""

    def __init__(self, catalog: NodeCatalog, progress: RunPrinter, calls: asyncio.Event) -> None:
        self._catalog = catalog
        self._progress = progress
        self._calls = calls

    def find(self, kind: str) -> NodeType | None:
        found = self._catalog.find(kind)
        return None if found is None else cast("NodeType", WatchedNode(found, self._progress, self._calls))

    def all(self) -> Sequence[NodeType]:
        return self._catalog.all()

    def outline(self, kind: str) -> NodeOutline | None:
        return self._catalog.outline(kind)

    def outlines(self) -> Sequence[NodeOutline]:
        return self._catalog.outlines()


async def run_here(
    context: PluginContext, workflow: Workflow, items: Items | None, start: str | None, progress: RunPrinter
) -> CommandOutcome:
    """Run to the end. Cancelling this cancels the run first. Raises `JackfieldError`."""
    calls = asyncio.Event()
    nodes = WatchedCatalog(context.port(NodeCatalog), progress, calls)
    engine = context.port(TemporaryEngines).make(nodes)
    first = chosen_start(workflow, start, context.port(NodeCatalog))
    execution_id = new_id()
    request = ExecutionRequest(
        workflow=workflow,
        mode="manual",
        start=first,
        items=await start_items(context, workflow, first, items, execution_id),
        use_pin_data=True,
        durability="finish",
        id=execution_id,
    )
    await engine.recover()  # nothing is open; it starts what ends waits
    execution = engine.submit(request)
    try:
        outcome = await _end(execution.finished, calls)
    except asyncio.CancelledError:
        outcome = await _cancelled(engine, execution)
    finally:
        await engine.drain(DRAIN_S)
        await drop_files(context, execution.id)
        for script_engine in context.extensions(SCRIPT_ENGINES).values():
            await script_engine.close()
    if outcome is None:
        return CommandOutcome("failed", error={"message": NO_CALLS})
    error = None if outcome.failure is None else failure_view(outcome.failure)
    return CommandOutcome(outcome.status, outcome.items, error)


async def _cancelled(engine: Engine, execution: Execution) -> Outcome:
    """How it ended, or what it is called when a node takes too long to let go."""
    with contextlib.suppress(Conflict, NotFound):
        await engine.cancel(execution.id)
    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(asyncio.shield(execution.finished), DRAIN_S)
    return Outcome("cancelled")


async def _end(finished: asyncio.Future[Outcome], calls: asyncio.Event) -> Outcome | None:
    """How it ended; None when it waits for a call, which never comes."""
    call = asyncio.ensure_future(calls.wait())
    either: list[asyncio.Future[Any]] = [finished, call]  # of different results
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return finished.result() if finished.done() else None
    finally:
        call.cancel()


def _since(begun: float) -> float:
    return (time.monotonic() - begun) * 1000
