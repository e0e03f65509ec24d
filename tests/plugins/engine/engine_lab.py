"""An engine over a store in memory, with nodes that note what they do, and a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from jackfield.api.engine import Execution, ExecutionRequest, Outcome
from jackfield.api.history import NodeRecord, node_records
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, NodeType, Suspend
from jackfield.api.storage import Store, StoredWorkflow
from jackfield.api.workflows import Document, Node, Outputs, Workflow
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.projects import OneProject
from jackfield.testing.store import MemoryStore
from jackfield_engine.defaults import SettingsDefaults
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.settings import ExecutionsSettings
from jackfield_expressions.service import ExpressionsService
from jackfield_workflows.documents.reader import CachedReader

A_NODE = NodeDescription("Fake", "Does what a test says.", "transform")
Act = Callable[[NodeRun], Awaitable[NodeResult]]


class Free(NodeParameters):
    """Any parameters."""


@dataclass
class Kind:
    """A node type that does what it is told."""

    kind: str
    act: Act
    effect: bool = False
    model: type[NodeParameters] = Free
    count: int = 1
    versions: Sequence[float] = (1,)
    description: NodeDescription = field(default=A_NODE)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self.model

    def outputs(self, node: Node) -> int:
        return self.count

    async def execute(self, run: NodeRun) -> NodeResult:
        return await self.act(run)


async def passing(run: NodeRun) -> Outputs:
    return [run.items]


async def resolving(run: NodeRun) -> Outputs:
    """Items made of the node's parameters."""
    return [[{"json": one.model_dump()} for one in await run.resolve()]]


async def waiting(run: NodeRun) -> NodeResult:
    until = run.node.parameters["until"]
    assert isinstance(until, int)
    return Suspend(until, [run.items])


async def failing(run: NodeRun) -> Outputs:
    raise NodeError("it cannot be done", item=0)


async def broken(run: NodeRun) -> Outputs:
    raise ZeroDivisionError


async def calling(run: NodeRun) -> Outputs:
    return [await run.run_workflow(str(run.node.parameters["workflow"]), run.items)]


@dataclass
class Lab:
    """Engines in a row over one store. ran: the names of the nodes, in order of running."""

    path: Path
    store: Store = field(default_factory=MemoryStore)
    clock: FakeClock = field(default_factory=FakeClock)
    settings: ExecutionsSettings = field(default_factory=ExecutionsSettings)
    ran: list[str] = field(default_factory=list)
    kinds: dict[str, NodeType] = field(default_factory=dict)
    tables: list[BaseModel] = field(default_factory=list)
    scripts: dict[str, object] = field(default_factory=dict)
    engines: list[EmbeddedEngine] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, act in {
            "pass": passing,
            "resolve": resolving,
            "wait": waiting,
            "fail": failing,
            "broken": broken,
            "webhook": passing,
            "errorTrigger": passing,
            "executeWorkflowTrigger": passing,
        }.items():
            self.kind(name, act)
        self.kind("effect", passing, effect=True)
        self.kind("call", calling, effect=True)

    def kind(self, name: str, act: Act, **more: Any) -> None:
        """A node type whose runs are noted in `ran`."""

        async def noted(run: NodeRun) -> NodeResult:
            self.ran.append(run.node.name)
            return await act(run)

        self.kinds[name] = Kind(name, noted, **more)

    def context(self, store: Store | None = None) -> FakeContext:
        context = FakeContext(self.path, clock=self.clock, tables=[self.settings, *self.tables])
        context.ports.update(
            Store=store or self.store,
            NodeCatalog=FakeCatalog(*self.kinds.values()),
            jackfield_script_engines=self.scripts,
        )
        context.ports["ProjectAccess"] = OneProject()
        context.ports["Expressions"] = ExpressionsService(context)
        context.ports["WorkflowReader"] = CachedReader(context)
        context.ports["ExecutionDefaults"] = SettingsDefaults(context)
        return context

    def engine(self, store: Store | None = None) -> EmbeddedEngine:
        """It is kept: the runs of one that was forgotten would be collected, and end, when it pleases the collector."""
        self.engines.append(EmbeddedEngine(self.context(store), strict=True))
        return self.engines[-1]

    def parse(self, document: Document, **more: Any) -> Workflow:
        return CachedReader(self.context()).parse(document, **more)

    async def save(self, document: Document, workflow_id: str | None = None) -> Workflow:
        workflow_id = workflow_id or new_id()
        now = self.clock.now_ms()
        await self.store.add_workflow(
            StoredWorkflow(workflow_id, str(document["name"]), True, 1, document, now, now), [], None
        )
        return self.parse(document, id=workflow_id, version=1, active=True)

    async def records(self, execution_id: str) -> list[NodeRecord]:
        stored = await self.store.execution(execution_id)
        assert stored is not None
        return node_records(stored.steps)

    async def status(self, execution_id: str) -> str:
        stored = await self.store.execution(execution_id)
        assert stored is not None
        return stored.row.status


def doc(*nodes: tuple[str, str] | tuple[str, str, dict[str, Any]], **settings: Any) -> Document:
    """A chain of (name, kind[, node fields]); the first is the start."""
    made: list[Any] = []
    for place, (name, kind, *more) in enumerate(nodes):
        fields: dict[str, Any] = more[0] if more else {}  # type: ignore[assignment]
        parameters = fields.pop("parameters", {}) if fields else {}
        node = {"id": name, "name": name, "type": f"jackfield.{kind}", "position": [place, 0], "parameters": parameters}
        made.append({**node, **fields})
    names = [node["name"] for node in made]
    connections = {left: {"main": [[{"node": right, "type": "main", "index": 0}]]} for left, right in pairwise(names)}
    return {"name": "W", "nodes": made, "connections": connections, "settings": settings}


def request(workflow: Workflow, **more: Any) -> ExecutionRequest:
    start = next(iter(workflow.nodes))
    given: dict[str, Any] = {"mode": "webhook", "start": start, "items": [{"json": {"n": 1}}], **more}
    return ExecutionRequest(workflow=workflow, **given)


async def until(test: Callable[[], bool], turns: int = 500) -> None:
    """Let the event loop turn until the test holds."""
    for _ in range(turns):
        if test():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came true")


async def ended(execution: Execution) -> Outcome:
    """The outcome, once it is stored."""
    for _ in range(500):
        if execution.stored.done():
            break
        await asyncio.sleep(0)
    assert execution.stored.done(), "the execution did not end"
    execution.stored.result()
    return execution.finished.result()


def pass_on(later: asyncio.Future[Any], given: asyncio.Future[Any]) -> None:
    """What came of `given` is what comes of `later`, unless nobody waits for it any more."""
    error = given.exception()
    if later.done():
        return
    if error is None:
        later.set_result(given.result())
    else:
        later.set_exception(error)
