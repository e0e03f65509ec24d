"""A daemon without a listener for the suite of engines: the real plugins and store, and nodes that a test steers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...api.clock import SystemClock
from ...api.context import WorkflowReader
from ...api.engine import Engine, Execution, ExecutionRequest, Outcome
from ...api.ids import new_id
from ...api.nodes import NodeAnswer, NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, NodeType, Suspend
from ...api.plugin import Plugin, hookimpl
from ...api.storage import Store, StoredWorkflow
from ...api.workflows import Document, Node, Workflow
from ...core.building import load_plugins
from ...core.kernel import Kernel
from ...core.redaction import Redactor

PATIENCE = 60.0
"""Seconds that a suite waits for anything."""


@dataclass
class Control:
    """The acts of the suite's nodes, and the things that they wait for. Shared by daemons that follow one another."""

    ran: list[str] = field(default_factory=list)
    """Names of nodes, in the order of their runs."""
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    """Nodes of the kind `contractGate` wait for it."""


class ContractNode:
    """A node type of the suite. Subclasses say what it does."""

    versions: Sequence[float] = (1.0,)
    description = NodeDescription("Contract", "Belongs to a suite of tests.", "transform")

    def __init__(self, kind: str, control: Control, *, effect: bool = False, outputs: int = 1) -> None:
        self.kind = kind
        self.effect = effect
        self._control = control
        self._outputs = outputs

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NodeParameters

    def outputs(self, node: Node) -> int:
        return self._outputs

    async def execute(self, run: NodeRun) -> NodeResult:
        self._control.ran.append(run.node.name)
        return await self.act(run)

    async def act(self, run: NodeRun) -> NodeResult:
        """Passes its items on."""
        return [run.items]


class GateNode(ContractNode):
    """Waits until the test opens the gate."""

    async def act(self, run: NodeRun) -> NodeResult:
        await self._control.opened.wait()
        return [run.items]


class FailingNode(ContractNode):
    """Fails at its first item."""

    async def act(self, run: NodeRun) -> NodeResult:
        raise NodeError("it cannot be done", item=0)


class SplittingNode(ContractNode):
    """Its first item to the first output, the others to the second."""

    async def act(self, run: NodeRun) -> NodeResult:
        return [run.items[:1], run.items[1:]]


class WaitingNode(ContractNode):
    """Suspends: for `ms` milliseconds, or until a call when there is no such parameter."""

    async def act(self, run: NodeRun) -> NodeResult:
        milliseconds = run.node.parameters.get("ms")
        if isinstance(milliseconds, int):
            return Suspend(SystemClock().now_ms() + milliseconds, [run.items])
        return Suspend(None, [run.items], {"method": "POST"})


class AnsweringNode(ContractNode):
    """Answers the caller."""

    async def act(self, run: NodeRun) -> NodeResult:
        run.answer(NodeAnswer(201, (), b"made"))
        return [run.items]


def contract_plugin(control: Control) -> type[Plugin]:
    """A plugin with the nodes of the suite."""
    nodes: list[NodeType] = [
        ContractNode("contractStart", control),
        ContractNode("contractPass", control),
        ContractNode("contractEffect", control, effect=True),
        GateNode("contractGate", control),
        FailingNode("contractFail", control, outputs=1),
        SplittingNode("contractSplit", control, outputs=2),
        WaitingNode("contractWait", control),
        AnsweringNode("contractAnswer", control, effect=True),
    ]

    class ContractPlugin(Plugin):
        """The suite's nodes."""

        name = "contract"

        @hookimpl
        def jackfield_nodes(self) -> Sequence[NodeType]:
            return nodes

    return ContractPlugin


class EngineBench:
    """One daemon, ready, without a listener."""

    def __init__(self, kernel: Kernel, control: Control) -> None:
        self.kernel = kernel
        self.control = control
        self.engine = kernel.ports.get(Engine)
        self.store = kernel.ports.get(Store)

    async def save(self, document: Document) -> Workflow:
        """Store a workflow and read it."""
        now = SystemClock().now_ms()
        stored = StoredWorkflow(new_id(), str(document["name"]), True, 1, document, now, now)
        await self.store.add_workflow(stored, [], None)
        return self.kernel.ports.get(WorkflowReader).parse(document, id=stored.id, version=1, active=True)

    async def ended(self, execution: Execution) -> Outcome:
        """The outcome, once it is stored."""
        async with asyncio.timeout(PATIENCE):
            outcome = await asyncio.shield(execution.finished)
            await asyncio.shield(execution.stored)
        return outcome

    async def until_ran(self, *names: str) -> None:
        """Wait until nodes of these names have run."""
        async with asyncio.timeout(PATIENCE):
            while not {*names} <= {*self.control.ran}:
                await asyncio.sleep(0.005)

    async def until_status(self, execution_id: str, status: str) -> None:
        """Wait until the store has this status."""
        async with asyncio.timeout(PATIENCE):
            while (found := await self.store.execution(execution_id)) is None or found.row.status != status:
                await asyncio.sleep(0.005)


@asynccontextmanager
async def opened_bench(
    directory: Path,
    settings: Mapping[str, str],
    control: Control,
    *,
    plugins: Mapping[str, type[Plugin]] | None = None,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[EngineBench]:
    """A daemon over the directory; its end is a stop that leaves open executions to the next one.

    `plugins`: further ones, by name. `environment`: with the master key, where it is not in the directory.
    """
    host, found = load_plugins(directory, {}, {"daemon.shutdown_timeout": "0", **settings})
    for name, plugin in {"contract": contract_plugin(control), **(plugins or {})}.items():
        host.add(name, plugin)
    kernel = Kernel(directory, host, found, Redactor(), environment=environment)
    kernel.assemble()
    await kernel.start()
    try:
        yield EngineBench(kernel, control)
    finally:
        await kernel.stop()


def request(workflow: Workflow, **changes: object) -> ExecutionRequest:
    """A call at the first node with two items."""
    given = {"mode": "webhook", "start": next(iter(workflow.nodes)), "items": [{"json": {"n": 1}}, {"json": {"n": 2}}]}
    return ExecutionRequest(workflow=workflow, **{**given, **changes})  # type: ignore[arg-type]
