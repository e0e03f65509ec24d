"""The command line's `Cli` over a store in memory, and nodes that do what they are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Suspend
from jackfield.api.workflows import Node
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_engine.temporary import EmbeddedTemporaryEngines
from jackfield_expressions.service import ExpressionsService
from jackfield_workflows.documents.reader import CachedReader

T = TypeVar("T")


class Simple:
    """A node type: `kind` decides what it does."""

    versions: Sequence[float] = (1,)
    effect = False

    def __init__(self, kind: str, started: Callable[[], None] = lambda: None) -> None:
        self.kind = kind
        self.description = NodeDescription(kind, "For tests.", "transform", trigger=kind == "manualTrigger")
        self._started = started

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NodeParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        self._started()
        if self.kind == "failing":
            raise NodeError("it cannot be done", item=0)
        if self.kind == "waiting":
            return Suspend(None, [run.items], {"kind": "webhook"})
        if self.kind == "endless":
            await asyncio.Event().wait()
        if self.kind == "counting":
            memory = await run.static_data("global")
            memory["count"] = int(str(memory.get("count", 0))) + 1
        return [[{"json": {**item["json"], "by": run.node.name}} for item in run.items]]


class CliLab:
    """`Cli`, which raises what the work raises: the kernel's command makes one line and exit code 1 of it."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.store = MemoryStore()
        self.directory = directory
        self.started: Callable[[], None] = lambda: None

    def config_dir(self, given: Path | None) -> Path:
        return given or self.directory

    def run_in(self, directory: Path, plugin: str, work: Callable[[PluginContext], Awaitable[T]]) -> T:
        return self.run(plugin, work, config_dir=directory)

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[T]], *, config_dir: Path | None) -> T:
        assert plugin == "workflows"
        kinds = ("manualTrigger", "pass", "failing", "waiting", "endless", "counting")
        context = FakeContext(self.directory)
        nodes = FakeCatalog(*(Simple(kind, lambda: self.started()) for kind in kinds))
        context.ports.update(Store=self.store, NodeCatalog=nodes, jackfield_triggers=[], jackfield_script_engines={})
        context.ports["Expressions"] = ExpressionsService(context)
        context.ports["WorkflowReader"] = CachedReader(context)
        context.ports["TemporaryEngines"] = EmbeddedTemporaryEngines(context)

        async def worked() -> T:
            return await work(context)

        return asyncio.run(worked())


def document(*nodes: tuple[str, str], name: str = "flow", **more: Any) -> dict[str, Any]:
    """A manual trigger `Start` and these nodes (name, kind), one after another."""
    listed = [("Start", "manualTrigger"), *nodes]
    return {
        "name": name,
        "nodes": [
            {"name": title, "type": f"n8n-nodes-base.{kind}", "typeVersion": 1, "position": [x, 0], "parameters": {}}
            for x, (title, kind) in enumerate(listed)
        ],
        "connections": {
            title: {"main": [[{"node": after, "type": "main", "index": 0}]]}
            for (title, _), (after, _) in pairwise(listed)
        },
        **more,
    }


def file_of(directory: Path, body: Any, name: str = "flow.json") -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body), encoding="utf-8")
    return path
