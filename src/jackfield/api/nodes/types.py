"""The port of a node type, and the port that one run of a node gets."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from ..binary import BinaryFiles
from ..http_client import Authorization
from ..jsontext import Json
from ..records import record
from ..scripts import ScriptResult
from ..streaming import ChunkType
from ..workflows import Document, Item, Items, Node, Outputs, Workflow
from .descriptions import NodeDescription
from .executions import ExecutionInfo, NodeAnswer, Resumed, StaticScope, Suspend
from .leaves import Apart
from .parameters import NodeParameters

T = TypeVar("T")


class NodeError(Exception):
    """A node failed. message: shown to the user, without secrets; item: index of the input item it failed on."""

    def __init__(self, message: str, *, item: int | None = None, description: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.item = item
        self.description = description


class NodeUnavailable(NodeError):
    """The daemon cannot do the work of the node at all.

    A setting forbids it, a library or a plugin is missing, or the node's type is wrong. n8n knows no such failure.
    Where the workflow goes on after errors, every input item fails, while another error of the whole node passes the
    input on.
    """


class KeptBroken(NodeError):
    """Raised by whoever has a thing from `NodeRun.kept_open`: it is of no use any more. It is opened anew for
    whoever wants it next, and closed when nobody has it any more."""


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
    def custom_data(self) -> MutableMapping[str, Json]:
        """The notes on the execution: `$execution.customData`."""

    @property
    def binary(self) -> BinaryFiles:
        """The files of the execution: reads what items refer to, keeps new ones. Its methods raise `BinaryError`."""

    @property
    def run_index(self) -> int:
        """How often the node ran before in this execution."""

    @property
    def resumed(self) -> Resumed | None:
        """The wait that this run goes on after, when it has asked for that (`Suspend.state`).

        A crash in between repeats the run with the same one.
        """

    def idempotency_key(self, item: int, part: int = 0) -> str:
        """A UUID for the effect of this run on the input item of this index.

        A service may notice by it that it has done the work already. It is the same when the run is repeated, by *Retry
        On Fail*, after a crash, and at another daemon. Each other item, run, node and execution, a person's retry too,
        has another one. So has what the run does after a wait. `part`: which of several requests for the item.
        """

    def items_of_run(self, index: int) -> Items:
        """The items that input 0 got in this node's run with this index, up to the current one.

        Costs nothing; the items' own `pairedItem` tells of the node before. Raises IndexError.
        """

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        """The workflow's memory across executions.

        Change it in place. The engine stores it when the node run ends, also when it fails. Other executions of the
        workflow see the change at once, so read and write without awaiting in between. Counts as an effect. Raises
        `NodeError` when the store does not answer. At the end of the node run, raises it also for memory above the
        setting `executions.max_static_data`, or that is not JSON.
        """

    @property
    def log(self) -> logging.Logger: ...

    async def resolve(self) -> list[Any]:
        """Per item of input 0, the node's parameters with expressions evaluated and validated: instances of the model
        that `NodeType.parameters` gave, hence Any. Raises `NodeError` naming the parameter and the item; in a node that
        goes on after errors, a look at that item's parameters raises it."""

    async def resolve_apart(self) -> list[Apart[Any]]:
        """As `resolve`, for many items.

        Parameters of a model that `takes_leaves` are the same object for all items, as far as expressions stand where
        the model takes any value.
        """

    async def resolve_first(self) -> Any:
        """The same for the first item only (with no item: against an empty one)."""

    async def evaluate(
        self, templates: Mapping[str, Json], *, item: int, extra: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        """Evaluate parameters that `NodeParameters.late` kept back, at any depth, for the input item of this index.

        `extra`: further variables such as `$response`, as JSON; only JavaScript sees them. An undefined value comes
        as None. Raises `NodeError` naming the parameter by its path in `templates`.
        """

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        """Run a Code node's source in a killable worker with this run's data. each: once per item. Raises
        `NodeError`."""

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        """Run another workflow (mode sub), a saved one by its id or the given document, and return the items of its
        last node. Raises `NodeError`."""

    async def start_workflow(self, workflow: str | Document, items: Items) -> None:
        """Start another workflow (mode sub) that runs on its own; returns once that is durable. Raises `NodeError`."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        """The decrypted values of the node's credential of this kind, with `allowedHosts` (comma separated, may be
        empty). Raises `NodeError`. Keep them out of outputs and messages."""

    async def authorization(self, kind: str) -> Authorization:
        """The same credential, ready to be put on requests, its tokens renewed when they must be. Raises
        `NodeError`."""

    def answer(self, answer: NodeAnswer) -> None:
        """Answer the waiting webhook call; only the first answer of an execution counts."""

    @property
    def streaming(self) -> bool:
        """Whether a caller reads the answer in chunks while the execution runs."""

    async def send_chunk(self, kind: ChunkType, item: int, content: str | None = None) -> None:
        """Send a piece to that caller; item: index of the input item. Waits while the caller is slow, and does nothing
        where nobody reads."""

    def attached(self, kind: str) -> Sequence[AttachedNode]:
        """The enabled nodes that serve this one by wires of this kind, by input, then in document order. Raises
        `NodeError` for one whose type is not installed."""

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        """Lends a thing that the run opens when you want it first, and closes when the run ends, however it does.

        It is a session of a server, or a connection. Several may have it at the same time. The run opens one anew that
        has ended by itself, or that you report as broken (`KeptBroken`). Of many that nobody uses
        (`executions.kept_open`), it closes the one used longest ago before. `key`: tells the node's things apart, so
        all that matters for `opening` is in it. Entering raises what `opening` raises.
        """


class AttachedNode(Protocol):
    """A node that serves the running one: its model, its tool, its memory. It sees what the running node sees, which
    works for one item at a time."""

    @property
    def node(self) -> Node: ...

    @property
    def type(self) -> NodeType: ...

    @property
    def index(self) -> int:
        """Which input of the kind it is attached to."""

    @property
    def execution(self) -> ExecutionInfo: ...

    @property
    def log(self) -> logging.Logger: ...

    def item(self, index: int) -> Item:
        """An input item of the running node."""

    async def parameters(self, item: int, arguments: Mapping[str, Json] | None = None) -> Any:
        """Its parameters for an input item of the running node, as `NodeRun.resolve`; `$fromAI` gives the arguments.
        Raises `NodeError`."""

    async def execute(self, item: int, arguments: Mapping[str, Json]) -> Outputs:
        """Run it with this one item, as if it stood in the flow; `$fromAI` gives the arguments. Raises `NodeError`,
        also when it would wait."""

    async def ask(self, item: int, arguments: Mapping[str, Json], question: str) -> Suspend:
        """Run it as `execute` does where it sends a question to people, and give its wait.

        The running node returns that with its own state. `question`: tells this question from every other one of the
        run. Raises `NodeError`, also when it asks nothing, and before it runs where the running node cannot wait.
        """

    async def supply(self, item: int) -> object:
        """The object for the running node and this item; see `SupplyingNode`. Raises `NodeError` without one."""

    def attached(self, kind: str) -> Sequence[AttachedNode]:
        """Its own parts."""

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        """As `NodeRun.static_data`; `node`: its own."""

    async def binary(self, item: int, name: str) -> bytes:
        """A file of an input item of the running node. Raises `NodeError` when there is none."""

    async def run_script(self, language: str, source: str, *, timeout: float | None = None) -> ScriptResult:
        """As `NodeRun.run_script` with all items."""

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        """As `NodeRun.run_workflow`."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        """As `NodeRun.credential`, for this node."""

    async def authorization(self, kind: str) -> Authorization:
        """As `NodeRun.authorization`, for this node."""

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]:
        """As `NodeRun.kept_open`: the thing is this node's, for all items and until the running node's run ends."""


NodeResult: TypeAlias = "Outputs | Suspend"
"""Without any output, not even an empty one, the branch ends and the run is shown to nobody, as with n8n's null."""


class NodeType(Protocol):
    """One kind of node, all its versions. Stateless: everything that one run knows comes with the run."""

    kind: str
    """Without namespace: `set`."""
    versions: Sequence[float]
    description: NodeDescription
    effect: bool
    """Whether a run changes the world outside the execution. Then it is checkpointed before the next node runs, and a
    crash while it runs repeats it (at least once)."""

    def parameters(self, version: float | None) -> type[NodeParameters]:
        """The model of this version's parameters; its JSON Schema is the form. None: no typeVersion given."""

    def outputs(self, node: Node) -> int:
        """How many outputs this node has with its raw parameters (without the error output)."""

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        """Run once. Raise `NodeError` for what the user can repair; any other exception counts as the node's bug."""


@runtime_checkable
class EntryNode(Protocol):
    """The methods of a node type beside `NodeType` when its executions get more than their caller's items."""

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items | None:
        """The start node's output for the items that another workflow or a caller hands over.

        None: a run by hand without any, so that the node makes the items that it would have given; it may make none.
        """


@runtime_checkable
class PatientNode(Protocol):
    """The methods of a node type beside `NodeType` when its nodes need some of several inputs."""

    def required_inputs(self, node: Node) -> frozenset[int]:
        """The inputs without which a node with these raw parameters does not run in order v1, even when nothing else
        can run any more."""


@runtime_checkable
class SelfServingNode(Protocol):
    """The methods of a node type beside `NodeType` when a start node works on its caller's items.

    The engine starts it with items on the output of its choice (`ExecutionRequest.start_output`). It runs next, with
    these as its input.
    """

    def own_output(self, node: Node) -> int:
        """The output whose items are the node's own input; it gives nothing there itself."""


@runtime_checkable
class StreamingNode(Protocol):
    """The methods of a node type beside `NodeType` when its nodes can send chunks (`NodeRun.send_chunk`)."""

    def streams(self, node: Node) -> bool:
        """Whether a node with these raw parameters does."""


@runtime_checkable
class SupplyingNode(Protocol):
    """The methods of a node type beside `NodeType` when its nodes serve others."""

    async def supply(self, node: AttachedNode, item: int) -> object:
        """Per kind of wire an object of `jackfield.api.ai`, for an input item of its user. Raises `NodeError`."""


TOOL_FORM = "Tool"
"""How the kinds end that are another type's node in the hands of an agent: `httpRequestTool` is an `httpRequest`."""


REVIEW_FORM = "HitlTool"
"""The same of those that ask a person by another type's node before an agent's tool runs: `slackHitlTool`."""


def entry_node(node_type: NodeType | None) -> EntryNode | None:
    """The same as an `EntryNode`, when it is one."""
    return cast("EntryNode", node_type) if hasattr(node_type, "entry") else None


def entry_items(workflow: Workflow, start: str, given: Items | None, catalog: NodeCatalog) -> Items | None:
    """The items that the start node makes of the given ones; see `EntryNode`."""
    node = workflow.nodes[start]
    found = entry_node(catalog.find(node.kind))
    return found.entry(node, workflow, given) if found else given


def patient_node(node_type: NodeType | None) -> PatientNode | None:
    """The same as a `PatientNode`, when it is one; see `entry_node`."""
    return cast("PatientNode", node_type) if hasattr(node_type, "required_inputs") else None


def self_serving_node(node_type: NodeType | None) -> SelfServingNode | None:
    """The same as a `SelfServingNode`, when it is one; see `entry_node`."""
    return cast("SelfServingNode", node_type) if hasattr(node_type, "own_output") else None


def streaming_node(node_type: NodeType | None) -> StreamingNode | None:
    """The same as a `StreamingNode`, when it is one."""
    return cast("StreamingNode", node_type) if hasattr(node_type, "streams") else None


def supplying_node(node_type: NodeType | None) -> SupplyingNode | None:
    """The same as a `SupplyingNode`, when it is one; see `entry_node`."""
    return cast("SupplyingNode", node_type) if hasattr(node_type, "supply") else None


def type_of(kind: str, types: Mapping[str, NodeType]) -> NodeType | None:
    """See `NodeCatalog.find`. types: by kind."""
    found = types.get(kind)
    if found is None and kind.endswith(TOOL_FORM):
        found = types.get(kind.removesuffix(TOOL_FORM))
        return None if found is None or found.description.trigger else found
    return found


class NodeOutline(Protocol):
    """The part of a node type that lists show: all that it tells but its parameters. See `NodeType`."""

    @property
    def kind(self) -> str: ...

    @property
    def versions(self) -> Sequence[float]: ...

    @property
    def description(self) -> NodeDescription: ...

    @property
    def effect(self) -> bool: ...


@record
class NodeOffer:
    """A node type that is made when it is used first.

    `reference`: of a class or function that is called with `arguments` and gives the `NodeType` of this kind. `chosen`:
    whether the operator has installed it by its name, so that it counts before another plugin's of its kind. Only of
    Jackfield's own plugins is that believed. `outline`: tells what lists show, where that is known without making the
    type. None, or one that gives None: the type is made.
    """

    kind: str
    reference: str
    arguments: tuple[object, ...] = ()
    chosen: bool = False
    outline: Callable[[], NodeOutline | None] | None = None


class NodeCatalog(Protocol):
    """Every registered node type."""

    def find(self, kind: str) -> NodeType | None:
        """The type of this kind; for one in its `TOOL_FORM` that nobody registered, the type it is a form of, unless
        that is a trigger."""

    def all(self) -> Sequence[NodeType]: ...

    def outline(self, kind: str) -> NodeOutline | None:
        """Of the registered type of this kind alone; None: there is none."""

    def outlines(self) -> Sequence[NodeOutline]:
        """Of every type. Few are made to tell, so that a list costs neither time nor memory for what nobody uses."""
