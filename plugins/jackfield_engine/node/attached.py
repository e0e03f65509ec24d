"""The nodes that serve a running one: its models, tools and memories."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

from jackfield.api.binary import BinaryError
from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json, dumps
from jackfield.api.limits import contained
from jackfield.api.nodes import (
    AttachedNode,
    ExecutionInfo,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeType,
    Resumed,
    StaticScope,
    Suspend,
    supplying_node,
)
from jackfield.api.nodes.files import content_of
from jackfield.api.records import replace
from jackfield.api.scripts import ScriptResult
from jackfield.api.workflows import Document, Item, Items, Node, Outputs
from jackfield_engine.loop.plans import NodePlan
from jackfield_engine.node.node_run import EngineNodeRun

T = TypeVar("T")
FROM_AI = "$fromAIArguments"
"""The variable in which `$fromAI` finds what a model gave."""
MAX_DEPTH = 8
"""So deep agents may be tools of agents."""


class AttachedNodeRun(EngineNodeRun):
    """One use of a part, for one item of the node that it serves."""

    def __init__(
        self,
        served: EngineNodeRun,
        plan: NodePlan,
        item: int,
        arguments: Mapping[str, Json] | None = None,
        call: tuple[str, int] = ("", 0),
    ) -> None:
        """call: what it was asked for, and how often before in the run of the node that it serves."""
        super().__init__(served._data, served._actions, plan, served._task)
        self._served = served
        self.identity = (*served.identity, plan.node.name, item, *call)
        self.depth = depth_of(served) + 1
        self.items = served.items[item : item + 1]
        self.inputs = [self.items]
        self._seen, self._places = served._seen, served._places[item : item + 1]
        if arguments is not None:
            self._extra = {FROM_AI: dict(arguments)}

    @property
    def resumed(self) -> Resumed | None:
        return None

    async def _static(self, section: str) -> MutableMapping[str, Json]:
        return await self._served._static(section)

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        return self._served.kept_open(f"{self.node.name}/{key}", opening)

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        return await self._actions.run_workflow(replace(self._task, asked=_asked(self.node, items)), workflow, items)

    async def start_workflow(self, workflow: str | Document, items: Items) -> None:
        await self._actions.start_workflow(replace(self._task, asked=_asked(self.node, items)), workflow, items)


def depth_of(run: EngineNodeRun) -> int:
    return run.depth if isinstance(run, AttachedNodeRun) else 0


def _asked(node: Node, items: Items) -> tuple[str, ...]:
    """A model may ask for something else when its node runs again, and must not get the answer to what it asked
    before."""
    return (node.name, hashlib.sha256(dumps(items)).hexdigest())


class EngineAttachedNode:
    """`AttachedNode` of the embedded engine. level: how many parts are between it and the node that runs."""

    def __init__(self, served: EngineNodeRun, plan: NodePlan, index: int, level: int = 0) -> None:
        self._served = served
        self._plan = plan
        self.index = index
        self._level = level

    @property
    def node(self) -> Node:
        return self._plan.node

    @property
    def type(self) -> NodeType:
        return self._plan.type

    @property
    def execution(self) -> ExecutionInfo:
        return self._served.execution

    @property
    def log(self) -> logging.Logger:
        return self._served.log

    def item(self, index: int) -> Item:
        items = self._served.items
        return items[index] if index < len(items) else {"json": {}}

    async def parameters(self, item: int, arguments: Mapping[str, Json] | None = None) -> Any:  # the type's own model
        found: NodeParameters = await self._run(item, arguments).resolve_first()
        return found

    async def execute(self, item: int, arguments: Mapping[str, Json]) -> Outputs:
        return _outputs(self.node, await self._result(item, arguments, self._call(item, arguments)))

    async def ask(self, item: int, arguments: Mapping[str, Json], question: str) -> Suspend:
        if depth_of(self._served):
            raise NodeError(
                f"The node '{self._served.node.name}' serves another node and cannot wait for people; attach "
                f"'{self.node.name}' to the node that runs."
            )
        result = await self._result(item, arguments, (question, 0))
        if not isinstance(result, Suspend):
            raise NodeError(f"The node '{self.node.name}' has asked nobody; let it send a question and wait.")
        return result

    async def _result(self, item: int, arguments: Mapping[str, Json], call: tuple[str, int]) -> NodeResult:
        if depth_of(self._served) >= MAX_DEPTH:
            raise NodeError(f"The node '{self.node.name}' is more than {MAX_DEPTH} nodes deep inside another one.")
        if self._plan.effect:
            await self._served._actions.before_effect(self._served._task)
        for left in range(self.node.tries - 1, -1, -1):
            run = AttachedNodeRun(self._served, self._plan, item, arguments, call)
            try:
                return await contained(partial(self.type.execute, run))
            except BinaryError as exc:
                if not left:
                    raise NodeError(exc.message) from None
            except NodeError:
                if not left:
                    raise
            await self._served._data.services.clock.sleep(self.node.wait_between_tries_ms / 1000)
        raise AssertionError("a node is tried at least once")

    async def supply(self, item: int) -> object:
        if self._level >= MAX_DEPTH:
            raise NodeError(
                f"The node '{self.node.name}' is more than {MAX_DEPTH} nodes away from the one that it serves; its "
                "wires may lead in a circle."
            )
        found = supplying_node(self.type)
        if found is None:
            raise NodeError(f"The node '{self.node.name}' ({self.node.type}) cannot serve another node.")
        return await contained(lambda: found.supply(self, item))

    def attached(self, kind: str) -> Sequence[AttachedNode]:
        return attached_nodes(self._served, self.node.name, kind, self._level + 1)

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        return await self._run(0).static_data(scope)

    async def binary(self, item: int, name: str) -> bytes:
        return await content_of(self._served, self.item(item), name, item)

    async def run_script(self, language: str, source: str, *, timeout: float | None = None) -> ScriptResult:
        return await self._run(0).run_script(language, source, each=False, timeout=timeout)

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        return await self._run(0).run_workflow(workflow, items)

    async def credential(self, kind: str) -> Mapping[str, str]:
        return await self._run(0).credential(kind)

    async def authorization(self, kind: str) -> Authorization:
        return await self._run(0).authorization(kind)

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        return self._run(0).kept_open(key, opening)

    def _call(self, item: int, arguments: Mapping[str, Json]) -> tuple[str, int]:
        """Of equal calls in one run each is another one. When the run is repeated they are the same again."""
        asked = hashlib.sha256(dumps(arguments)).hexdigest()
        place = f"{item} {asked} {self.node.name}"
        number = self._served.asked_of_parts[place]
        self._served.asked_of_parts[place] += 1
        return asked, number

    def _run(self, item: int, arguments: Mapping[str, Json] | None = None) -> AttachedNodeRun:
        return AttachedNodeRun(self._served, self._plan, item, arguments)


def _outputs(node: Node, result: NodeResult) -> Outputs:
    if isinstance(result, Suspend):
        raise NodeError(f"The node '{node.name}' would wait, which it cannot do inside another node.")
    return result


def attached_nodes(served: EngineNodeRun, owner: str, kind: str, level: int = 0) -> list[AttachedNode]:
    """The enabled parts of a node, which is the running one or one of its parts, that many levels away. Raises
    `NodeError`."""
    plan = served._data.plan
    parts = [part for part in plan.workflow.attached.get(owner, ()) if part.kind == kind]
    found = [
        EngineAttachedNode(served, plan.node(part.node), part.index, level)
        for part in sorted(parts, key=lambda part: part.index)
        if not plan.workflow.nodes[part.node].disabled
    ]
    return list[AttachedNode](found)
