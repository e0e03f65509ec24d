"""Stand-ins for what a start must name and need not load: a daemon has hundreds of node types and uses a few."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import cast

from .asgi import AsgiApp, Receive, Scope, Send
from .nodes import (
    EntryNode,
    NodeDescription,
    NodeParameters,
    NodeResult,
    NodeRun,
    NodeType,
    SupplyingNode,
)
from .triggers import Registration, Trigger, WorkflowChange
from .workflows import Node, Problem, Workflow


class LazyNode:
    """A `NodeType` that is loaded when it is used first. What its type has beside `NodeType` (`entry`, `supply`) it has
    as well."""

    versions: Sequence[float]
    description: NodeDescription
    effect: bool

    def __init__(self, kind: str, load: Callable[[], NodeType]) -> None:
        self.kind = kind
        self._load = load
        self._loaded: NodeType | None = None

    def _node(self) -> NodeType:
        if self._loaded is None:
            found = self._loaded = self._load()
            self.versions, self.description, self.effect = found.versions, found.description, found.effect
        return self._loaded

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._node(), name)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._node().parameters(version)

    def outputs(self, node: Node) -> int:
        return self._node().outputs(node)

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        return self._node().execute(run)


def entry_node(node_type: NodeType | None) -> EntryNode | None:
    """The same as an `EntryNode`, when it is one. `isinstance` would not do: from Python 3.12 on it looks past
    `__getattr__`, and so past what a stand-in passes on."""
    return cast("EntryNode", node_type) if hasattr(node_type, "entry") else None


def supplying_node(node_type: NodeType | None) -> SupplyingNode | None:
    """The same as a `SupplyingNode`, when it is one; see `entry_node`."""
    return cast("SupplyingNode", node_type) if hasattr(node_type, "supply") else None


class LazyTrigger:
    """A `Trigger` that is loaded with the first workflow that has one of its nodes. serves: kinds of these nodes."""

    def __init__(self, kind: str, serves: Collection[str], load: Callable[[], Trigger]) -> None:
        self.kind = kind
        self._serves = frozenset(serves)
        self._load = load
        self._loaded: Trigger | None = None

    @property
    def trigger(self) -> Trigger:
        """The trigger itself."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _concerns(self, workflow: Workflow | None) -> bool:
        return workflow is not None and any(node.kind in self._serves for node in workflow.nodes.values())

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return self.trigger.registrations(workflow) if self._concerns(workflow) else []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return await self.trigger.activation_problems(workflow) if self._concerns(workflow) else []

    async def follow(self, change: WorkflowChange) -> None:
        """What was never loaded serves nothing that could end."""
        if self._loaded is not None or self._concerns(change.workflow):
            await self.trigger.follow(change)


class LazyApp:
    """An application for HTTP that is built with its first request. WebSockets are refused."""

    def __init__(self, build: Callable[[], AsgiApp]) -> None:
        self._build = build
        self._app: AsgiApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _refuse(receive, send)
            return
        if self._app is None:
            self._app = self._build()
        await self._app(scope, receive, send)


async def _refuse(receive: Receive, send: Send) -> None:
    message = await receive()
    if message["type"] == "websocket.connect":
        await send({"type": "websocket.close", "code": 1008})
