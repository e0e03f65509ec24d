"""What a node type is given: one run of one node, with its parameters resolved on demand."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping, Sequence
from functools import cached_property
from typing import Protocol

import orjson
from pydantic import ValidationError

from jackfield.api.clock import Clock
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeAnswer, NodeError, NodeParameters
from jackfield.api.scripts import ExpressionError, ScriptError, ScriptResult
from jackfield.api.workflows import Items, Node
from jackfield_workflows.expressions import names_in
from jackfield_workflows.facts import Facts
from jackfield_workflows.plans import NodePlan
from jackfield_workflows.scope import ExpressionProblem, Scope
from jackfield_workflows.services import Services
from jackfield_workflows.surroundings import NodeSurroundings
from jackfield_workflows.tasks import Task

EXPRESSIONS = "javaScript"
_BATCH = 200
"""Items that are resolved before others may have the event loop."""


class Host(Protocol):
    """The execution that a node runs in."""

    @property
    def services(self) -> Services: ...

    @property
    def facts(self) -> Facts: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def log(self) -> logging.Logger: ...

    async def breathe(self) -> None:
        """Let others have the event loop, when this execution had it long enough."""

    async def run_workflow(self, task: Task, workflow_id: str, items: Items) -> Items:
        """See `NodeRun.run_workflow`."""

    def answer(self, answer: NodeAnswer) -> None:
        """See `NodeRun.answer`."""


class EngineNodeRun:
    """`NodeRun` of the embedded engine."""

    __slots__ = ("__dict__", "_host", "_plan", "_task", "inputs", "items", "node")

    def __init__(self, host: Host, plan: NodePlan, task: Task) -> None:
        self._host = host
        self._plan = plan
        self._task = task
        self.node: Node = plan.node
        self.inputs: Sequence[Items] = task.seen
        self.items: Items = self.inputs[0]

    @property
    def execution(self) -> ExecutionInfo:
        return self._host.facts.info

    @property
    def context(self) -> MutableMapping[str, Json]:
        return self._host.facts.memory(self.node.name)

    @property
    def log(self) -> logging.Logger:
        return self._host.log

    @cached_property
    def _around(self) -> NodeSurroundings:
        return NodeSurroundings(self._host.facts, self._task)

    # -- parameters

    async def resolve(self) -> list[NodeParameters]:
        return await self._resolve(self.items, len(self.items))

    async def resolve_first(self) -> NodeParameters:
        items: Items = self.items or [{"json": {}}]
        return (await self._resolve(items, 1))[0]

    async def _resolve(self, items: Items, count: int) -> list[NodeParameters]:
        parameters = self._plan.parameters
        if parameters.literal is not None:
            return [self._validated(None, None)] * count
        if parameters.variables:
            await self._variables()
        scripted = await self._scripted(items, count) if parameters.sources else None
        scope = Scope(items, self._around)
        made: list[NodeParameters] = []
        for index in range(count):
            if index and not index % _BATCH:
                await self._host.breathe()
            scope.move(index)
            if scripted is not None:
                scope.scripted = scripted[index]
            try:
                value = parameters.get(scope)
            except ExpressionProblem as exc:
                raise _named(parameters.blame(scope), index, exc.message) from None
            made.append(self._validated(value, index))
        return made

    def _validated(self, value: object, index: int | None) -> NodeParameters:
        """The model of a resolved value; of the literal parameters when no index is given."""
        try:
            return self._plan.literal() if index is None else self._plan.model.model_validate(value)
        except ValidationError as exc:
            first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
            path = ".".join(str(part) for part in first["loc"])
            raise _named(path, index, f"{first['msg']}.") from None

    async def _variables(self) -> None:
        try:
            await self._host.facts.read_variables()
        except JackfieldError as exc:
            raise NodeError(f"The variables cannot be read: {exc.message}") from None

    async def _scripted(self, items: Items, count: int) -> list[list[object]]:
        """What JavaScript makes of the parameters' sources: per item, per source."""
        parameters = self._plan.parameters
        engine = self._host.services.context.script_engines.get(EXPRESSIONS)
        if engine is None:
            raise NodeError("The node's expressions need JavaScript, and no plugin provides it.")
        data = self._around.script_data(items, parameters.names, self._host.clock.now_ms())
        try:
            rows = await engine.evaluate(parameters.sources, data, range(count))
        except ScriptError as exc:
            raise NodeError(f"The node's expressions could not be evaluated: {exc.message}") from None
        for index, row in enumerate(rows):
            for source, value in enumerate(row):
                if isinstance(value, ExpressionError):
                    raise _named(parameters.path_of(source), index, value.message)
        return rows  # type: ignore[return-value]  # every ExpressionError was raised

    # -- what a node may do

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        engine = self._host.services.context.script_engines.get(language)
        if engine is None:
            raise NodeError(f"The language '{language}' is not available; no plugin provides it.")
        names = names_in([source])
        if "$vars" in source:
            await self._variables()
        data = self._around.script_data(self.items, names, self._host.clock.now_ms())
        if timeout is None:
            timeout = self._host.services.settings.script_timeout
        try:
            result = await engine.run(source, data, each=each, timeout=timeout)
        except ScriptError as exc:
            where = f" (line {exc.line})" if exc.line is not None else ""
            raise NodeError(f"{exc.message}{where}") from None
        if result.context:
            self.context.update(result.context)
        return result

    async def run_workflow(self, workflow_id: str, items: Items) -> Items:
        return await self._host.run_workflow(self._task, workflow_id, items)

    async def credential(self, kind: str) -> Mapping[str, str]:
        context = self._host.services.context
        reference = self.node.credentials.get(kind)
        credential_id = reference.get("id") if isinstance(reference, dict) else None
        if not isinstance(credential_id, str):
            raise NodeError(f"The node names no stored credential of the kind {kind}; choose one in its credentials.")
        try:
            stored = await context.store.credential(credential_id)
        except JackfieldError as exc:
            raise NodeError(f"The credential cannot be read: {exc.message}") from None
        if stored is None or stored.kind != kind:
            raise NodeError(f"The node's credential of the kind {kind} does not exist any more; choose another one.")
        try:
            values: dict[str, str] = orjson.loads(context.secrets.open(stored.sealed))
        except ValueError:
            raise NodeError(
                f"The credential '{stored.name}' was sealed with another encryption key; enter its values again."
            ) from None
        context.secrets.redact(*(value for name, value in values.items() if name != "allowedHosts"))
        return {"allowedHosts": "", **values}

    def answer(self, answer: NodeAnswer) -> None:
        self._host.answer(answer)


def _named(path: str | None, index: int | None, message: str) -> NodeError:
    parameter = f"The parameter {path}" if path else "A parameter"
    item = "" if index is None else f" of item {index}"
    return NodeError(f"{parameter}{item} is not valid: {message}", item=index)
