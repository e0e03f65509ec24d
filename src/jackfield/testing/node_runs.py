"""Runs a node without an engine: a test gives parameters, items, credentials and files, and reads what became of them.

    run = FakeNodeRun(GreetNode(context), {"name": "Ada"}, items({"id": 1}, {"id": 2}))
    outcome = await run.outcome()
    assert outcome.json() == [[{"id": 1, "text": "Hello, Ada!"}, {"id": 2, "text": "Hello, Ada!"}]]

Items come in and go out as with the real engine: paired, with error items at the error output. Expressions do not
exist; parameters are given per item as their values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

import orjson
from pydantic import ValidationError

from ..api.binary import BinaryError, BinaryFiles
from ..api.expressions import ItemReference, references_of
from ..api.history import stored_json
from ..api.http_client import Authorization
from ..api.jsontext import Json, depth_exceeds
from ..api.nodes import (
    AttachedNode,
    ExecutionInfo,
    NodeAnswer,
    NodeError,
    NodeParameters,
    NodeType,
    Resumed,
    StaticScope,
    Suspend,
)
from ..api.nodes.items import (
    NodeInputs,
    carries_error,
    entered,
    failed_outputs,
    finished_outputs,
    goes_on,
    seen_items,
)
from ..api.nodes.keeping import KeptThings
from ..api.nodes.keys import derived_key
from ..api.nodes.leaves import Apart
from ..api.nodes.unresolved import unresolved
from ..api.scripts import ScriptResult
from ..api.streaming import ChunkType
from ..api.workflows import Document, Item, Items, Node, OnError, Outputs, Workflow, WorkflowSettings
from .binary import MemoryFiles

T = TypeVar("T")
GivenParameters: TypeAlias = "Mapping[str, Json] | Sequence[Mapping[str, Json]] | Callable[[Item], Mapping[str, Json]]"
"""For all items, one per item, or made of each item."""
_MOST_DEPTH = 250
"""How deep an output may be nested that JSON does not know as it is."""


def items(*rows: Mapping[str, Json]) -> Items:
    """An item per object."""
    return [{"json": dict(row)} for row in rows]


@dataclass
class NodeOutcome:
    """The outcome of a node run."""

    outputs: Outputs
    """As the engine hands them on; an error output is the last. Empty while the node waits."""
    suspended: Suspend | None = None
    """The node's request to wait."""
    error: NodeError | None = None
    """Why the node failed as a whole, where the workflow goes on after errors."""

    def json(self) -> list[list[dict[str, Json]]]:
        """The fields of every item of every output."""
        return [[item["json"] for item in made] for made in self.outputs]

    def origins(self, output: int = 0) -> list[list[ItemReference]]:
        """Per item of this output, the input items that it comes from."""
        return [references_of(item.get("pairedItem")) for item in self.outputs[output]]

    def errors(self) -> dict[int, str]:
        """Index of an input item that failed -> the message of the item that stands for it."""
        told: dict[int, str] = {}
        for item in (item for made in self.outputs for item in made if _carries_error(item)):
            for reference in references_of(item.get("pairedItem")):
                told[reference.item] = str(item["json"].get("error"))
        return told


def _carries_error(item: Item) -> bool:
    """Also one at the error output, which has the fields of its input item."""
    return carries_error(item) or "error" in item["json"]


class _Lines(logging.Handler):
    """Keeps the messages of a log."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


@dataclass
class FakeNodeRun:
    """Implements `jackfield.api.nodes.NodeRun`.

    You can read its notes afterwards: `answers`, `scripts`, `started`, `credential_reads`, `logs`, `statics`,
    `context`.
    """

    type: NodeType
    parameters: GivenParameters = field(default_factory=dict)
    first: Items = field(default_factory=lambda: [{"json": {}}])
    """The items of input 0."""
    others: Sequence[Items] = ()
    """The items of the inputs after the first."""
    version: float | Literal["newest"] | None = "newest"
    """None: a document without typeVersion."""
    name: str = ""
    """Of the node; empty: its kind."""
    on_error: OnError = "stopWorkflow"
    execute_once: bool = False
    always_output_data: bool = False
    execution_id: str = "e1"
    mode: str = "manual"
    timezone: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Kind -> values."""
    authorizations: Mapping[str, Authorization] = field(default_factory=dict)
    """The same, ready for requests."""
    binary: BinaryFiles = field(default_factory=MemoryFiles)
    """In memory; the same object may be shared by runs."""
    script: ScriptResult | Callable[[str, str], ScriptResult] = field(default_factory=lambda: ScriptResult(None))
    """A script's result; a function is called with language and source."""
    sub_workflow: Callable[[str | Document, Items], Items] = lambda _, given: given
    """The items that another workflow makes of those that it gets."""
    late: Callable[[Mapping[str, Json], Mapping[str, Json]], dict[str, Json]] = lambda templates, _: dict(templates)
    """The values of late parameters: of the templates and the further variables."""
    parts: Mapping[str, Sequence[AttachedNode]] = field(default_factory=dict)
    """Kind of wire -> the nodes that serve this one."""
    earlier: Sequence[Items] = ()
    """The items that input 0 got in the node's earlier runs."""
    context: MutableMapping[str, Json] = field(default_factory=dict)
    statics: dict[str, dict[str, Json]] = field(default_factory=dict)
    """The workflow's memory across executions, by scope."""
    answers: list[NodeAnswer] = field(default_factory=list)
    streaming: bool = False
    """Whether a caller reads chunks."""
    chunks: list[tuple[ChunkType, int, str | None]] = field(default_factory=list)
    started: list[tuple[str | Document, Items]] = field(default_factory=list)
    """Workflows that were started on their own."""
    scripts: list[tuple[str, str, bool]] = field(default_factory=list)
    """Scripts that ran: language, source, whether once per item."""
    credential_reads: list[str] = field(default_factory=list)
    """Kinds of credentials that were read, in order."""
    resumed: Resumed | None = None
    """The wait that the run goes on after."""
    custom_data: dict[str, Json] = field(default_factory=dict)
    """`$execution.customData`."""
    logs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        version = max(self.type.versions) if self.version == "newest" else self.version
        self.node = self._made_node(self.type.kind, version)
        settings = WorkflowSettings(timezone=self.timezone)
        workflow = Workflow("w1", "Test", 1, True, {}, {}, settings, {}, {})
        self.execution = ExecutionInfo(self.execution_id, self.mode, workflow, variables=self.variables)
        self.log = logging.Logger("jackfield.test")  # noqa: LOG001 - no other run sees its lines
        self.log.parent = logging.getLogger()
        self.log.setLevel(logging.DEBUG)
        self.log.addHandler(_Lines(self.logs))

    def _made_node(self, kind: str, version: float | None) -> Node:
        raw = self.parameters if isinstance(self.parameters, Mapping) else {}
        return Node(
            "n1",
            self.name or kind,
            f"jackfield.{kind}",
            kind,
            version,
            raw,
            on_error=self.on_error,
            execute_once=self.execute_once,
            always_output_data=self.always_output_data,
        )

    async def outcome(self) -> NodeOutcome:
        """Run the node once. Raises `NodeError` when it fails and the workflow stops at errors, and whatever else the
        node raises, for that is its mistake."""
        continued = self.on_error == "continueErrorOutput"
        error_output = self.type.outputs(self.node) if continued else None
        given = NodeInputs(self.node, self._entered, list(self.inputs), self.run_index, error_output)
        try:
            try:
                result = await self.type.execute(self)
            finally:
                await self._kept.close()
        except (NodeError, BinaryError) as exc:
            error = exc if isinstance(exc, NodeError) else NodeError(exc.message)
            if not goes_on(self):
                raise error from None
            return NodeOutcome(_stored(failed_outputs(given, error)), error=error)
        if isinstance(result, Suspend):
            return NodeOutcome([], result)
        return NodeOutcome(_stored(finished_outputs(given, result)))

    # -- `NodeRun`

    @cached_property
    def _entered(self) -> list[Items]:
        return [entered(given, index) for index, given in enumerate([self.first, *self.others])]

    @property
    def inputs(self) -> Sequence[Items]:
        return seen_items(self.node, self._entered)

    @property
    def items(self) -> Items:
        return self.inputs[0]

    @property
    def run_index(self) -> int:
        return len(self.earlier)

    def idempotency_key(self, item: int, part: int = 0) -> str:
        return derived_key((self.execution_id, self.node.name, self.run_index, item, part))

    def items_of_run(self, index: int) -> Items:
        return [*self.earlier, self.items][index]

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        return self.statics.setdefault(scope, {})

    async def resolve(self) -> list[Any]:  # instances of the node's model
        return [self._parameters_or_error(item, index) for index, item in enumerate(self.items)]

    async def resolve_apart(self) -> list[Apart[Any]]:  # as above
        return [Apart(made, []) for made in await self.resolve()]

    def _parameters_or_error(self, item: Item, index: int) -> NodeParameters:
        try:
            return self._parameters(item, index)
        except NodeError as exc:
            if not goes_on(self):
                raise
            return unresolved(exc)

    async def resolve_first(self) -> Any:  # an instance of the node's model
        return self._parameters(self.items[0] if self.items else {"json": {}}, 0)

    def _parameters(self, item: Item, index: int) -> NodeParameters:
        given = self.parameters
        literal = isinstance(given, Mapping)
        values = given if isinstance(given, Mapping) else given(item) if callable(given) else given[index]
        try:
            return self.type.parameters(self.node.version).model_validate(dict(values))
        except ValidationError as exc:
            raise _invalid(exc, None if literal else index) from None

    async def evaluate(
        self, templates: Mapping[str, Json], *, item: int, extra: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        return self.late(templates, extra or {})

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        self.scripts.append((language, source, each))
        return self.script(language, source) if callable(self.script) else self.script

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        return self.sub_workflow(workflow, items)

    async def start_workflow(self, workflow: str | Document, items: Items) -> None:
        self.started.append((workflow, items))

    async def credential(self, kind: str) -> Mapping[str, str]:
        self.credential_reads.append(kind)
        if kind not in self.credentials:
            raise NodeError(f"The node names no stored credential of the kind {kind}; choose one in its credentials.")
        return {"allowedHosts": "", **self.credentials[kind]}

    async def authorization(self, kind: str) -> Authorization:
        self.credential_reads.append(kind)
        if kind not in self.authorizations:
            raise NodeError(f"The node names no stored credential of the kind {kind}; choose one in its credentials.")
        return self.authorizations[kind]

    def answer(self, answer: NodeAnswer) -> None:
        self.answers.append(answer)

    async def send_chunk(self, kind: ChunkType, item: int, content: str | None = None) -> None:
        if self.streaming:
            self.chunks.append((kind, item, content))

    def attached(self, kind: str) -> Sequence[AttachedNode]:
        return self.parts.get(kind, ())

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        return self._kept.lent(key, opening)

    @cached_property
    def _kept(self) -> KeptThings:
        return KeptThings(self.log)


def _invalid(exc: ValidationError, index: int | None) -> NodeError:
    first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    parameter = f"The parameter {path}" if path else "A parameter"
    item = "" if index is None else f" of item {index}"
    return NodeError(f"{parameter}{item} is not valid: {first['msg']}.", item=index)


def _stored(outputs: Outputs) -> Outputs:
    """The outputs as a reader of the execution finds them.

    Tuples are lists, keys are text, NaN is null, and values that JSON does not know are their text. Raises `NodeError`
    for what cannot be kept.
    """
    try:
        kept: dict[str, Outputs] = orjson.loads(_encoded({"outputs": outputs}))
    except (TypeError, ValueError, RecursionError):
        raise NodeError("The node's output cannot be kept: it is nested too deeply or is not JSON data.") from None
    return kept["outputs"]


def _encoded(record: object) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:
        if depth_exceeds(record, _MOST_DEPTH):
            raise
        return stored_json(record)
