"""What a node type is and what one run of a node is given. Source: architecture.md 'Plugins', facts 2.2 to 2.4."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict

from .jsontext import Json
from .records import record
from .scripts import ScriptResult
from .workflows import Items, Node, Outputs, Workflow


class NodeParameters(BaseModel):
    """Base of every node's parameters: unknown keys are kept, names as in the document, built on first use."""

    model_config = ConfigDict(extra="allow", defer_build=True, populate_by_name=True)

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """Which of a node's parameters, as the document has them, are JSON texts with expressions inside: objects print
        there as JSON. Paths such as `jsonOutput` and `fields.values[0].objectValue`."""
        return ()


class NodeError(Exception):
    """A node failed. message: shown to the user, without secrets; item: index of the input item it failed on."""

    def __init__(self, message: str, *, item: int | None = None, description: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.item = item
        self.description = description


@record
class NodeAnswer:
    """What a Respond to Webhook node answers. body: the bytes as sent; headers: may repeat a name."""

    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""


@record
class Suspend:
    """Returned instead of outputs: the execution waits, survives a restart, and goes on with `outputs`.

    until: Unix ms. None is not allowed here: waiting for a call comes with the resume URL.
    """

    until: int
    outputs: Outputs


@record
class NodeDescription:
    """What `GET /node-types` and the editor show."""

    display_name: str
    summary: str
    group: str
    """trigger, flow, transform, output, code, network"""
    inputs: int = 1
    outputs: Sequence[str] = ("main",)
    trigger: bool = False


@record
class ExecutionInfo:
    """What a node may know of its execution. mode: webhook, test, manual, trigger, retry, error, sub."""

    id: str
    mode: str
    workflow: Workflow
    resume_url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


class NodeRun(Protocol):
    """One run of one node."""

    @property
    def node(self) -> Node: ...

    @property
    def inputs(self) -> Sequence[Items]:
        """Per input, its items; an input that nothing reached is empty."""

    @property
    def items(self) -> Items:
        """The items of input 0."""

    @property
    def execution(self) -> ExecutionInfo: ...

    @property
    def context(self) -> MutableMapping[str, Json]:
        """The node's own memory for this execution; survives a restart."""

    @property
    def log(self) -> logging.Logger: ...

    async def resolve(self) -> list[Any]:
        """Per item of input 0, the node's parameters with expressions evaluated and validated: instances of the model
        that `NodeType.parameters` gave, hence Any. Raises `NodeError` naming the parameter and the item."""

    async def resolve_first(self) -> Any:
        """The same for the first item only (with no item: against an empty one)."""

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        """Run a Code node's source in a killable worker with this run's data. each: once per item. Raises
        `NodeError`."""

    async def run_workflow(self, workflow_id: str, items: Items) -> Items:
        """Run another saved workflow (mode sub) and return the items of its last node. Raises `NodeError`."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        """The decrypted values of the node's credential of this kind, with `allowedHosts` (comma separated, may be
        empty). Raises `NodeError`. Keep them out of outputs and messages."""

    def answer(self, answer: NodeAnswer) -> None:
        """Answer the waiting webhook call; only the first answer of an execution counts."""


NodeResult: TypeAlias = "Outputs | Suspend"


class NodeType(Protocol):
    """One kind of node, all its versions. Stateless: everything that one run knows comes with the run."""

    kind: str
    """Without namespace: `set`."""
    versions: Sequence[float]
    description: NodeDescription
    effect: bool
    """Whether a run changes the world outside the execution; then it is checkpointed before the next node runs, and a
    crash while it runs repeats it (at least once)."""

    def parameters(self, version: float | None) -> type[NodeParameters]:
        """The model of this version's parameters; its JSON Schema is the form. None: no typeVersion given."""

    def outputs(self, node: Node) -> int:
        """How many outputs this node has with its raw parameters (without the error output)."""

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        """Run once. Raise `NodeError` for what the user can mend; any other exception counts as the node's bug."""


class NodeCatalog(Protocol):
    """Every registered node type."""

    def find(self, kind: str) -> NodeType | None: ...

    def all(self) -> Sequence[NodeType]: ...
