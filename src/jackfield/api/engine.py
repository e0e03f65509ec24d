"""The execution port. The embedded engine runs in the daemon's process; another may run elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol

from .body_budget import TakenMemory
from .caller_secrets import Hidden
from .jsontext import Json
from .nodes import NodeAnswer, NodeCatalog
from .records import record
from .storage import CallUpdate, Delivery, NewCall, StaticChange, StoredExecution
from .streaming import ChunkStream
from .tracing import OpenSpan, TraceContext
from .workflows import Items, Node, Workflow

Mode = Literal["webhook", "test", "manual", "trigger", "retry", "error", "sub"]
Durability = Literal["accept", "finish"]


@record
class ExecutionRequest:
    """The workflow to run, and how.

    `start`: the node to start at; its output is `items`. `use_pin_data`: test and manual runs. `call` and `delivery`:
    stored in the transaction that stores the execution. `durability`: `accept` = the caller wants `Execution.accepted`
    before anything else (an onReceived call, a 202). `finish` = the caller waits for the end or an answer anyway. Then
    the engine may store the acceptance with the end while no node with an effect has run.
    """

    workflow: Workflow
    mode: Mode
    start: str
    items: Items
    start_output: int = 0
    """Which output of the start node has the items (a webhook with several methods has one output per method)."""
    use_pin_data: bool = False
    call: NewCall | None = None
    delivery: Delivery | None = None
    durability: Durability = "accept"
    retry_of: str | None = None
    replay: Sequence[bytes] = ()
    """Step chunks of an earlier execution whose results are taken over as long as the same nodes come up."""
    given: Sequence[bytes] = ()
    """Step chunks of an earlier execution with the runs of some nodes. The engine takes them over wherever these nodes
    come up, the first one's result for the first run. Nodes that have none run. In place of `replay`."""
    request_id: str | None = None
    depth: int = 0
    """How many executions stand above this one (sub-workflows, error workflows)."""
    response_node: bool = False
    """A caller waits for a Respond to Webhook node."""
    until: str = ""
    """The node at which the execution ends: nodes that do not lead to it do not run. Empty: it runs to the end."""
    id: str | None = None
    """The execution's id, when files were kept for it before it exists (`BinaryStore.files`); else a fresh UUIDv7."""
    hidden: Hidden | None = None
    """The secrets of the call, or of calls of executions above this one, which the store must not have; None: the items
    tell."""
    encoded: bytes | None = None
    """`items` as JSON, where whoever submits has it already. `places` of the call stand in it."""
    stream: ChunkStream | None = None
    """Where nodes that can stream send their answer, as long as this process runs the execution."""
    memory: TakenMemory | None = None
    """The share of the daemon's budget that the body of the items takes, until the execution leaves the memory."""
    static: StaticChange | None = None
    """The memory of the workflow once the execution is accepted, stored in the same transaction: how far a trigger has
    come. `Execution.accepted` fails with `Conflict` when somebody else has changed it, and nothing runs. Never beside a
    delivery, and with the durability `accept`."""
    caller: TraceContext | None = None
    """The span that whoever starts it has named."""
    trace: OpenSpan | None = None
    """The execution's own span, which the engine begins, and the store keeps."""


@record
class Failure:
    """Why an execution failed. run: how often the node ran before."""

    message: str
    node: str | None = None
    item: int | None = None
    run: int = 0


@record
class Outcome:
    """How an execution ended. items: output of the last node that ran (its first output that has items)."""

    status: Literal["success", "failed", "cancelled"]
    items: Items = field(default_factory=list)
    failure: Failure | None = None
    last_node: str | None = None


class Execution(Protocol):
    """A submitted execution. The futures may be awaited by several; cancelling the wait never cancels the run (use
    `asyncio.shield` or `asyncio.wait`)."""

    id: str
    accepted: asyncio.Future[None]
    """Done once the execution (and its call) is durable; fails with `StoreUnavailable`."""
    answer: asyncio.Future[NodeAnswer | None]
    """A Respond node's answer; None once the run ended without one."""
    finished: asyncio.Future[Outcome]
    """Done when the run is over and its end is queued to be stored; see `stored`."""
    stored: asyncio.Future[None]
    """Done once the end is durable."""


@record
class WaitingCall:
    """An execution that waits for a call.

    `index`: which of its node runs waits. `node`: of which node. `call`: what `Suspend.call` said. `start`: name of the
    node that the execution began at. `since`: Unix ms at which that run began. `until`: Unix ms at which the execution
    goes on without the call; None: it waits without end.
    """

    execution_id: str
    index: int
    workflow: Workflow
    node: Node
    mode: Mode
    call: Mapping[str, Json]
    start: str = ""
    since: int = 0
    until: int | None = None


class Engine(Protocol):
    """Runs executions. Within one execution nodes run one after another; executions run side by side."""

    name: str

    def submit(self, request: ExecutionRequest) -> Execution:
        """Start. Returns at once. Raises `StoreUnavailable` when no more can be queued, `Conflict` while draining."""

    def complete_call(self, execution: Execution, update: CallUpdate) -> asyncio.Future[None]:
        """Store how a call was answered, after everything of the execution queued so far. The future fails with
        `Fenced` when the execution goes on at another daemon, whose end is the call's."""

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        """Wait for the end of any stored execution. Raises `NotFound`, `ExecutionTimeout`."""

    async def waiting(self, execution_id: str) -> WaitingCall:
        """The conditions for a call of this execution.

        Raises `NotFound`, or `Conflict` when it does not wait for a call (now, any more).
        """

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Execution:
        """The call came, and these items are the node's output; None: what `Suspend.outputs` said. Returns once that is
        durable; of several calls one wins. `answer` of the returned execution is that of a Respond node that runs from
        now on. Raises `Conflict` as above, also when the execution waits for another call by now, and
        `StoreUnavailable`."""

    async def cancel(self, execution_id: str) -> None:
        """Raises `NotFound`, or `Conflict` when it is over."""

    async def recover(self) -> int:
        """Resume what an earlier process left open; returns how many executions."""

    async def drain(self, timeout: float) -> int:
        """Take nothing new, wait up to `timeout` seconds for runs in flight, leave the rest to resume; returns how many
        are left."""

    def state(self) -> dict[str, int]:
        """running, queued and waiting executions."""


@record
class PreviewRequest:
    """`node`: whose expressions they are.

    `item`: the input item that they are evaluated for. `templates`: by any key, each as it stands in a parameter.
    `stored`: the execution whose data they see, None for pinned data alone. `ran`: the workflow that ran in it.
    """

    workflow: Workflow
    node: str
    item: int
    templates: Mapping[str, Json]
    stored: StoredExecution | None = None
    ran: Workflow | None = None


class ExpressionPreview(Protocol):
    """The port of the embedded engine: what expressions give on the data of an execution that is over. Nothing runs but
    the expressions, and nothing is stored."""

    async def evaluate(self, request: PreviewRequest) -> dict[str, Json]:
        """`{items, values: {key: {value} | {error, start, end}}}`. `items`: how many the node's first input has.
        `start` and `end`: of the `{{ }}` that fails, in UTF-16 code units behind the `=`, where that is known.

        Raises:
            InvalidInput: The node is not in the workflow, or does not run.
            JackfieldError: What is stored is damaged.
        """


class TemporaryEngines(Protocol):
    """The port of the embedded engine: engines for runs that nobody asks for later."""

    def make(self, nodes: NodeCatalog) -> Engine:
        """A separate engine with these node types; whoever asks for it drains it.

        It keeps its writes in memory alone, and reads from the daemon's store.
        """


class ErrorWorkflows(Protocol):
    """The port of the embedded engine: error workflows for what is no execution."""

    async def trigger_failed(self, workflow: Workflow, node: str, message: str) -> bool:
        """Start the error workflow with n8n's item of a trigger that fails; returns once that is durable. node: its
        name. message: without secrets. False: the workflow has none that may run.

        Raises:
            JackfieldError: It cannot be read or stored now.
        """


class ExecutionDefaults(Protocol):
    """The port of the embedded engine: what holds for workflows that say nothing else."""

    @property
    def timezone(self) -> str:
        """An IANA name."""


@record
class SegmentEnd:
    """Where a segment has left its execution: it is over, or waits.

    `wait_ms`: milliseconds until the wait is over, from now on; None: a call ends it, or it is over.
    """

    over: bool
    wait_ms: int | None = None


class Conductor(Protocol):
    """Says when executions go on, and at which daemon: an engine of another plugin."""

    def wanted(self, execution_id: str) -> None:
        """The store has an execution that may go on at once, best at this daemon, which may keep it in memory.

        The call comes again when the engine may have forgotten it. Returns at once, and keeps telling whoever must know
        of it.
        """


class ConductedEngine(Engine, Protocol):
    """The embedded engine without its own decisions.

    It accepts, stores, runs, wakes by calls, cancels and fences as ever, but begins nothing before somebody orders it.
    Children run within their parents, unordered.
    """

    @property
    def daemon(self) -> str:
        """This daemon's name among those that share the store, the same in all of its lives."""

    @property
    def slots(self) -> int:
        """Executions that run side by side."""

    def takes(self) -> bool:
        """Whether this daemon begins executions now."""

    async def run_segment(self, execution_id: str, patience: float) -> SegmentEnd:
        """Run an execution until it is over or waits. One that is not to go on yet stays as it is; one that is unknown
        is over. Cancelling the call stops nothing; of several calls for one execution all see the same end. `patience`:
        seconds to wait until an execution is free that another daemon has.

        Raises:
            Conflict: Another daemon has it, or this one left it open, as it stops or has lost its lease.
            StoreUnavailable: The store does not answer.
        """

    def is_conducted(self, execution_id: str) -> bool:
        """Whether somebody must order an open execution of this id: all but children."""


class ConductedEngines(Protocol):
    """The port of the embedded engine: engines whose executions somebody else conducts."""

    def make(self, conductor: Conductor, wait_in_memory: float) -> ConductedEngine:
        """Over the daemon's store and nodes. wait_in_memory: seconds; shorter waits do not end a segment."""
