"""The object that a node type gets: one run of one node, with its parameters resolved on demand."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import ValidationError

from jackfield.api.binary import BinaryFiles, BinaryStore
from jackfield.api.credentials import Credentials
from jackfield.api.errors import JackfieldError
from jackfield.api.expressions import CompiledParameters, Evaluation, ExpressionProblem
from jackfield.api.http_client import Authorization
from jackfield.api.javascript import NotExact
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    AttachedNode,
    ExecutionInfo,
    NodeAnswer,
    NodeError,
    NodeParameters,
    NodeUnavailable,
    Resumed,
    StaticScope,
)
from jackfield.api.nodes.keys import derived_key
from jackfield.api.nodes.leaves import Apart
from jackfield.api.nodes.unresolved import Unresolved, unresolved
from jackfield.api.object_references import load
from jackfield.api.records import replace
from jackfield.api.scripts import SCRIPT_ENGINES, ScriptError, ScriptResult
from jackfield.api.streaming import Chunk, ChunkType
from jackfield.api.workflows import Document, Items, Node
from jackfield_engine.loop.plans import NodePlan
from jackfield_engine.loop.tasks import Task
from jackfield_engine.node.execution_data import ExecutionState
from jackfield_engine.node.invalid_parameters import check_scripted, invalid
from jackfield_engine.node.node_actions import NodeActions
from jackfield_engine.node.node_credentials import credential_id, credential_values
from jackfield_engine.node.script_memory import ScriptStaticData, scopes_in
from jackfield_engine.node.surroundings import NodeSurroundings
from jackfield_engine.shared.static_data import Borrowed

if TYPE_CHECKING:
    from jackfield.api.nodes.keeping import KeptThings

T = TypeVar("T")
EXPRESSIONS = "javaScript"
ATTACHED = "jackfield_engine.node.attached:attached_nodes"
"""Most workflows have no nodes that serve others."""
KEPT = "jackfield.api.nodes.keeping:KeptThings"
"""Few nodes keep something open."""
_BATCH = 200
"""Items that are resolved before others may have the event loop."""
_BATCH_SECONDS = 0.02
"""How long that may take."""


class EngineNodeRun:
    """`NodeRun` of the embedded engine."""

    __slots__ = (
        "__dict__",
        "_actions",
        "_data",
        "_extra",
        "_places",
        "_plan",
        "_seen",
        "_task",
        "inputs",
        "items",
        "node",
    )

    def __init__(self, data: ExecutionState, actions: NodeActions, plan: NodePlan, task: Task) -> None:
        self._data = data
        self._actions = actions
        self.streaming = actions.stream is not None
        self._plan = plan
        self._task = task
        self.node: Node = plan.node
        self.borrowed: Borrowed | None = None
        """The workflow's static data, when the node asked for it; to be given back."""
        self.kept: KeptThings | None = None
        """The things that the node keeps open; to be closed."""
        self.inputs: Sequence[Items] = task.given.seen
        self.items: Items = self.inputs[0]
        self._seen: Items = self.items
        self._places = range(len(self.items))
        """Where the items stand among those that expressions see."""
        self._extra: Mapping[str, Json] = {}
        """Further variables of all expressions."""

    @property
    def execution(self) -> ExecutionInfo:
        return self._data.info

    @property
    def context(self) -> MutableMapping[str, Json]:
        return self._data.memory(self.node.name)

    @property
    def custom_data(self) -> MutableMapping[str, Json]:
        return self._data.custom

    @cached_property
    def binary(self) -> BinaryFiles:
        return self._data.services.context.port(BinaryStore).files(self.execution.id)

    @property
    def run_index(self) -> int:
        return self._task.given.run

    @cached_property
    def identity(self) -> tuple[str | int, ...]:
        """Tells the run from every other one, also after a crash: what has run before is replayed then. A node may run
        without being counted by `run_index`, so that the number of all runs is in it too. After a wait the run has
        another identity than before."""
        run = (self.execution.id, self.node.name, self.run_index, self._task.index)
        return (*run, self._task.waits) if self._task.waits else run

    @property
    def resumed(self) -> Resumed | None:
        return self._task.resumed

    def idempotency_key(self, item: int, part: int = 0) -> str:
        return derived_key((*self.identity, item, part))

    @cached_property
    def asked_of_parts(self) -> Counter[str]:
        """How often each part was asked for the same thing in this run."""
        return Counter()

    def items_of_run(self, index: int) -> Items:
        if index == self._task.given.run:
            return self.items
        loop = self._data.loop
        runs = loop.results.get(self.node.name, ()) if loop is not None else ()
        if loop is None or not 0 <= index < len(runs):
            raise IndexError(index)
        sources = runs[index].sources
        if not sources or (source := sources[0]) is None:
            return []
        items = loop.results[source.node][source.run].outputs[source.output]
        return items[:1] if self.node.execute_once else items

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        return await self._static(f"node:{self.node.name}" if scope == "node" else scope)

    async def _static(self, section: str) -> MutableMapping[str, Json]:
        workflow = self._data.plan.workflow
        if workflow.id is None or workflow.version < 1:
            return self._data.static(section)
        await self._actions.before_effect(self._task)
        if self.borrowed is None:
            borrowed = await self._data.services.static.borrow(workflow.id)
            if self.borrowed is not None:
                borrowed.abandon()  # a part of the node asked at the same time
            else:
                self.borrowed = borrowed
        return self.borrowed.section(section)

    @property
    def log(self) -> logging.Logger:
        return self._data.services.context.log

    @cached_property
    def _around(self) -> NodeSurroundings:
        return NodeSurroundings(self._data, self._task, self.node)

    # -- parameters

    async def resolve(self) -> list[NodeParameters]:
        return await self._resolve(self._seen, self._places)

    async def resolve_apart(self) -> list[Apart[NodeParameters]]:
        shared = self._plan.apart
        if shared is None:
            return [Apart(parameters, []) for parameters in await self.resolve()]

        def made(evaluation: Evaluation, index: int, scripted: Sequence[object]) -> Apart[NodeParameters]:
            return Apart(shared, evaluation.leaves(index, scripted))

        def failed(error: NodeError) -> Apart[NodeParameters]:
            return Apart(self._unresolved(error), [])

        return await self._evaluator(lambda given: self._resolved(given, self._seen, self._places, made, failed))

    async def resolve_first(self) -> NodeParameters:
        items: Items = self._seen or [{"json": {}}]
        first = (await self._resolve(items, self._places[:1] or range(1)))[0]
        if isinstance(first, Unresolved):
            raise first.error
        return first

    async def evaluate(
        self, templates: Mapping[str, Json], *, item: int, extra: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        parameters = self._data.plan.expressions.compile(templates)
        if parameters.literal is not None:
            return dict(parameters.literal)
        if extra or self._extra:
            # Python's expressions know nothing of further variables.
            return await self._evaluated(parameters.by_javascript(), item, extra)
        try:
            return await self._evaluated(parameters, item, extra)
        except NotExact:
            return await self._evaluated(parameters.by_javascript(), item, extra)

    async def _evaluated(
        self, parameters: CompiledParameters, item: int, extra: Mapping[str, Json] | None
    ) -> dict[str, Json]:
        if parameters.variables:
            await self._variables()
        evaluation = parameters.evaluation(self._seen, self._around)
        place = self._places[item] if item < len(self._places) else item
        scripted: Sequence[object] = ()
        if parameters.sources:
            place_only = range(place, place + 1)
            (scripted,) = await self._scripted(parameters, self._seen, place_only, extra or {}, evaluation.now_ms())
            check_scripted(parameters, place, scripted)
        try:
            return evaluation.at(place, scripted)  # type: ignore[return-value]  # an object like its templates
        except ExpressionProblem as exc:
            raise invalid(exc.path, item, exc.message) from None

    async def _resolve(self, items: Items, indexes: range) -> list[NodeParameters]:
        if self._plan.parameters.literal is not None:
            return self._literal(len(indexes))

        def made(evaluation: Evaluation, index: int, scripted: Sequence[object]) -> NodeParameters:
            return self._validated(evaluation.at(index, scripted), index)

        return await self._evaluator(lambda given: self._resolved(given, items, indexes, made, self._unresolved))

    async def _evaluator(self, work: Callable[[CompiledParameters], Awaitable[T]]) -> T:
        """The result of the work with the parameters, of which Python evaluates what it can, or JavaScript all."""
        parameters, fallback = self._plan.parameters, self._plan.fallback
        if self._extra:
            return await work(parameters.by_javascript())
        if fallback.left:
            fallback.left -= 1
            return await work(parameters.by_javascript())
        with contextlib.suppress(NotExact):
            made = await work(parameters)
            fallback.length = 0
            return made
        fallback.given_up()  # behind the error, which holds what Python made of the items before
        return await work(parameters.by_javascript())

    def _literal(self, count: int) -> list[NodeParameters]:
        try:
            return [self._validated(None, None)] * count
        except NodeError as exc:
            return [self._unresolved(exc)] * count

    async def _resolved(
        self,
        parameters: CompiledParameters,
        items: Items,
        indexes: range,
        make: Callable[[Evaluation, int, Sequence[object]], T],
        failed: Callable[[NodeError], T],
    ) -> list[T]:
        """The result of `make` for each item, of the evaluation, its index and what JavaScript made of the sources.
        `failed` for an item with an error, which it raises where the workflow stops at it."""
        if parameters.variables:
            await self._variables()
        evaluation = parameters.evaluation(items, self._around)
        scripted: list[list[object]] | None = None
        if parameters.sources:
            scripted = await self._scripted(parameters, items, indexes, {}, evaluation.now_ms())
        made: list[T] = []
        nothing: Sequence[object] = ()
        until = perf_counter() + _BATCH_SECONDS
        for number, index in enumerate(indexes):
            if number and (not number % _BATCH or perf_counter() > until):
                await self._actions.breathe()
                until = perf_counter() + _BATCH_SECONDS
            try:
                row = nothing
                if scripted is not None:
                    row = scripted[number]
                    check_scripted(parameters, index, row)
                made.append(make(evaluation, index, row))
            except ExpressionProblem as exc:
                made.append(failed(invalid(exc.path, index, exc.message)))
            except NodeError as exc:
                made.append(failed(exc))
        return made

    def _unresolved(self, error: NodeError) -> NodeParameters:
        """Stands for the parameters of an item. Raises the error where the workflow stops at it."""
        if self.node.on_error == "stopWorkflow":
            raise error from None
        return unresolved(error)

    def _validated(self, value: object, index: int | None) -> NodeParameters:
        """The model of a resolved value; of the literal parameters when no index is given."""
        try:
            return self._plan.valid or self._plan.literal() if index is None else self._plan.model.model_validate(value)
        except ValidationError as exc:
            first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
            path = ".".join(str(part) for part in first["loc"])
            raise invalid(path, index, f"{first['msg']}.") from None

    async def _variables(self) -> None:
        try:
            await self._data.read_variables()
        except JackfieldError as exc:
            raise NodeUnavailable(f"The variables cannot be read: {exc.message}") from None

    async def _scripted(
        self, parameters: CompiledParameters, items: Items, indexes: range, extra: Mapping[str, Json], now_ms: int
    ) -> list[list[object]]:
        """The values that JavaScript makes of the parameters' sources, or the `ExpressionError`: per item, per source.
        `now_ms`: `$now`."""
        engine = self._data.services.context.extensions(SCRIPT_ENGINES).get(EXPRESSIONS)
        if engine is None:
            raise NodeUnavailable("The node's expressions need JavaScript, and no plugin provides it.")
        data = self._around.script_data(items, parameters.reads, now_ms)
        if extra or self._extra:
            data = replace(data, extra={**self._extra, **extra})
        try:
            rows = await engine.evaluate(parameters.sources, data, indexes)
        except ScriptError as exc:
            raise NodeUnavailable(f"The node's expressions could not be evaluated: {exc.message}") from None
        return [list(row) for row in rows]

    # -- what a node may do

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        engine = self._data.services.context.extensions(SCRIPT_ENGINES).get(language)
        if engine is None:
            raise NodeUnavailable(f"The language '{language}' is not available; no plugin provides it.")
        if "vars" in source:
            await self._variables()

        first = self._places[0] if self._places else 0
        reads = self._data.plan.expressions.script_reads(source, language)
        data = self._around.script_data(self.items, reads, self._data.services.clock.now_ms(), first)
        memory = ScriptStaticData({scope: await self.static_data(scope) for scope in scopes_in(source)})
        if memory.given:
            data = replace(data, static=memory.given)
        if timeout is None:
            timeout = self._data.services.settings.script_timeout
        try:
            result = await engine.run(source, data, each=each, timeout=timeout)
        except ScriptError as exc:
            where = f" [line {exc.line}]" if exc.line is not None else ""
            raise NodeError(f"{exc.message}{where}", item=exc.item) from None
        if result.context:
            self.context.update(result.context)
        memory.keep(result.static)
        if result.custom:
            self._data.custom.update(result.custom)
        return result

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        return await self._actions.run_workflow(self._task, workflow, items)

    async def start_workflow(self, workflow: str | Document, items: Items) -> None:
        await self._actions.start_workflow(self._task, workflow, items)

    async def credential(self, kind: str) -> Mapping[str, str]:
        return await credential_values(self._data.services.context, self.node, kind)

    async def authorization(self, kind: str) -> Authorization:
        found = credential_id(self.node, kind)
        return await self._data.services.context.port(Credentials).authorization(found, kind)

    def answer(self, answer: NodeAnswer) -> None:
        self._actions.answer(answer)

    async def send_chunk(self, kind: ChunkType, item: int, content: str | None = None) -> None:
        if self._actions.stream is not None:
            now = self._data.services.clock.now_ms()
            await self._actions.stream.put(
                Chunk(kind, content, self.node.id, self.node.name, item, self.run_index, now)
            )

    def attached(self, kind: str) -> Sequence[AttachedNode]:
        found = cast("Callable[[EngineNodeRun, str, str], Sequence[AttachedNode]]", load(ATTACHED))
        return found(self, self.node.name, kind)

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        if self.kept is None:
            settings = self._data.services.settings
            made = cast("type[KeptThings]", load(KEPT))
            self.kept = made(self.log, settings.kept_open, settings.closing_timeout)
        return self.kept.lent(key, opening)

    async def close_kept(self, kept: KeptThings) -> None:
        """A cancellation does not end it half-way."""
        self.kept = None
        await asyncio.shield(asyncio.ensure_future(kept.close()))
