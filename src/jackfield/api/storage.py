"""The store port: domain verbs, never SQL. One contract suite (`tests/contracts/`) holds for every store.

Times are Unix milliseconds, UTC. Verbs that return a future are queued in the order of the calls, at once, and the
future resolves when the transaction that holds them is durable; the others are coroutines. Every verb raises
`StoreUnavailable` when the store does not answer within its limit (disk full, lock held, queue full); then nothing was
changed, unless its message says that the outcome of a commit that had begun is not known. An execution that is over
stays as it is: later changes of it do nothing. Who may change an open one, and what repeating a write does, say the
rules of `ownership_storage`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, get_args, runtime_checkable

from .fact_storage import FactStore as FactStore
from .file_storage import FileStore as FileStore
from .folder_storage import Folder as Folder
from .folder_storage import FolderStore as FolderStore
from .growth import Growth
from .import_storage import ImportedId as ImportedId
from .import_storage import ImportStore as ImportStore
from .ownership_storage import Claimed as Claimed
from .ownership_storage import Incarnation as Incarnation
from .ownership_storage import OpenStatus as OpenStatus
from .ownership_storage import OwnershipStore as OwnershipStore
from .ownership_storage import Renewals as Renewals
from .ownership_storage import Renewed as Renewed
from .ownership_storage import Standing as Standing
from .paging import Page as Page
from .records import record
from .table_storage import DataTableStore
from .triggers import Registration
from .user_storage import ApiKey as ApiKey
from .user_storage import Credential as Credential
from .user_storage import User as User
from .user_storage import UserStore as UserStore
from .user_storage import Variable as Variable
from .workflows import Document

if TYPE_CHECKING:
    import asyncio

ExecutionStatus = Literal["queued", "running", "waiting", "success", "failed", "cancelled"]
EXECUTION_STATUSES: tuple[ExecutionStatus, ...] = get_args(ExecutionStatus)
OPEN_STATUSES: tuple[OpenStatus, ...] = get_args(OpenStatus)
"""Those of an execution that is not over."""
WorkflowOrder = Literal[
    "name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt", "nodeCount", "-nodeCount"
]
WORKFLOW_ORDERS: tuple[WorkflowOrder, ...] = get_args(WorkflowOrder)
CallStatus = Literal["pending", "success", "failed", "timeout", "rejected"]


@record
class Tag:
    """A name that groups workflows. Names are unique; their letter case counts."""

    id: str
    name: str
    created_at: int
    updated_at: int


@record
class StoredWorkflow:
    """document: as the author wrote it, without id, active, versionNumber, tags and times. tags: by name. folder_id:
    None outside of every folder."""

    id: str
    name: str
    active: bool
    version: int
    document: Document
    created_at: int
    updated_at: int
    tags: Sequence[Tag] = ()
    folder_id: str | None = None


@record
class WorkflowRow:
    """A list row: no document."""

    id: str
    name: str
    active: bool
    version: int
    created_at: int
    updated_at: int
    node_count: int
    tags: Sequence[Tag] = ()
    folder_id: str | None = None


@record
class WorkflowFilter:
    """search: literal, case-insensitive part of the name; words: the same of the name, a tag's name or what
    `workflow_words.words_of` finds in the document. tags: names; a workflow has all of them. folder: id of the folder
    that it is in itself; empty: it is in none. order: a descending one begins with a minus."""

    active: bool | None = None
    search: str | None = None
    tags: Sequence[str] = ()
    words: str | None = None
    folder: str | None = None
    order: WorkflowOrder = "-updatedAt"


@record
class VersionRow:
    """label: what somebody has called this version; empty: nothing."""

    version: int
    name: str
    created_at: int
    author: str | None = None
    label: str = ""


@record
class Webhook:
    """A registration as kept. id: stable while the workflow keeps the node and the method. kind: of its trigger."""

    id: str
    workflow_id: str
    workflow_name: str
    node_id: str
    node_name: str
    method: str
    path: str
    pattern: str
    authentication: str
    active: bool
    created_at: int
    kind: str = "webhook"


@record
class WebhookStats:
    total_calls: int = 0
    success_calls: int = 0
    failed_calls: int = 0
    last_call: int | None = None


@record
class NewCall:
    """A call of a webhook as it came in. headers: already masked, JSON bytes of a name -> value map. query: already
    masked, without the question mark. body: at most 64 KiB of the raw body as text. status `rejected` comes complete
    with response_status; else `pending` until `CallUpdate`."""

    id: str
    webhook_id: str
    time: int
    method: str
    headers: bytes
    body: str
    truncated: bool = False
    status: CallStatus = "pending"
    response_status: int | None = None
    response_body: str = ""
    duration_ms: int | None = None
    query: str = ""
    event: str = ""
    """Its name, as the sender's preset knows it."""


@record
class CallUpdate:
    """How a call was answered, or (status only) how the run of an onReceived call ended."""

    call_id: str
    webhook_id: str
    status: CallStatus | None = None
    response_status: int | None = None
    response_body: str | None = None
    response_truncated: bool = False
    duration_ms: int | None = None


@record
class StoredCall:
    id: str
    webhook_id: str
    execution_id: str | None
    time: int
    method: str
    headers: Mapping[str, str]
    body: str
    truncated: bool
    status: CallStatus
    response_status: int | None
    response_body: str
    response_truncated: bool
    duration_ms: int | None
    query: str = ""
    event: str = ""


@record
class Delivery:
    """A de-duplication key of a webhook: the same (webhook, key) starts one execution until `expires_at`. fingerprint:
    of the request that the key stands for; empty where the key counts whatever the request says."""

    webhook_id: str
    key: str
    expires_at: int
    fingerprint: str = ""


@record
class StoredDelivery:
    """answer: status, headers and body of the first answer; None while it has not been given. fingerprint: of the first
    request, if it had one."""

    execution_id: str
    answer: StoredAnswer | None
    fingerprint: str = ""


@record
class StoredAnswer:
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


@record
class NewExecution:
    """input: JSON bytes of {"start": node name, "items": [...], ...}, the engine's own form. document: only for a
    workflow that is not saved. status: queued, running, or already final when accepted and finished in one. owner: the
    incarnation that runs it, or keeps it in memory for its turn; None: whoever claims it."""

    id: str
    workflow_id: str | None
    workflow_version: int
    mode: str
    status: ExecutionStatus
    created_at: int
    input: bytes
    started_at: int | None = None
    document: Document | None = None
    retry_of: str | None = None
    call: NewCall | None = None
    delivery: Delivery | None = None
    owner: str | None = None


@record
class FinishedExecution:
    """The end of an execution. steps: the last chunk of node runs (JSON bytes), if any, and number: its number; call:
    joined to the same transaction. owner: who writes this."""

    id: str
    status: ExecutionStatus
    finished_at: int
    started_at: int
    steps: bytes | None = None
    error: bytes | None = None
    """JSON bytes of {message, node?, itemIndex?}."""
    call: CallUpdate | None = None
    forget_at: int | None = None
    """Unix ms from which on `prune` deletes it, once no execution is open whose id begins with the same 13 characters:
    a parent may still ask for it. None: it is kept as long as others."""
    number: int = 0
    owner: str | None = None


@record
class ExecutionRow:
    """A list row. error: JSON bytes."""

    id: str
    workflow_id: str | None
    workflow_version: int
    mode: str
    status: ExecutionStatus
    created_at: int
    started_at: int | None
    finished_at: int | None
    error: bytes | None
    retry_of: str | None
    resume_at: int | None = None


@record
class StoredExecution:
    """Everything of one execution. steps: chunks in order. call: its id and webhook, when a call started it.
    next_chunk: above all numbers of its chunks. owner: an incarnation's id, also of one that is not alive, and of the
    last one when it is over; see `Claimed` for epoch."""

    row: ExecutionRow
    input: bytes
    steps: Sequence[bytes]
    document: Document | None
    call: tuple[str, str] | None
    call_status: CallStatus | None = None
    next_chunk: int = 0
    owner: str | None = None
    epoch: int = 1


@record
class ExecutionFilter:
    workflow_id: str | None = None
    status: str | None = None
    mode: str | None = None
    since: int | None = None
    until: int | None = None


KEEP_ALL = 1 << 53
"""Of a cap: there is none."""


@record
class Retention:
    """What `prune` deletes: executions that finished before a time, are beyond a count, or are to be forgotten by now;
    calls per webhook likewise; expired deliveries and revocations. limit: rows per call of `prune`, so that a writer is
    never held for long. webhooks: whose calls; None: of all."""

    executions_before: int
    executions_keep: int
    calls_before: int
    calls_keep: int
    now: int
    limit: int = 1000
    webhooks: Sequence[str] | None = None

    @property
    def only_caps(self) -> bool:
        """Whether nothing goes for its age."""
        return not (self.executions_before or self.calls_before or self.now)

    @property
    def keeps_calls(self) -> bool:
        return self.calls_keep >= KEEP_ALL and not self.calls_before


class WorkflowStore(Protocol):
    async def add_workflow(
        self,
        workflow: StoredWorkflow,
        registrations: Sequence[Registration],
        author: str | None,
        *,
        tags: Sequence[str] = (),
    ) -> None:
        """tags: names; those that no tag has become new tags."""

    async def change_workflow(
        self,
        workflow_id: str,
        document: Document,
        name: str,
        registrations: Sequence[Registration],
        *,
        now: int,
        author: str | None,
        expected_version: int | None = None,
        tags: Sequence[str] | None = None,
        active: bool | None = None,
    ) -> StoredWorkflow | None:
        """A new version. None when unknown. tags: as `add_workflow`; None leaves those that it has. active:
        whether it is live from now on; None leaves it as it is.

        Raises `Conflict` when expected_version is not the present one, and
        `RouteConflict` naming the other workflow when it is live and one of its routes is taken; then nothing
        changed."""

    async def set_active(
        self,
        workflow_id: str,
        active: bool,
        registrations: Sequence[Registration],
        *,
        now: int,
        expected_version: int | None = None,
    ) -> StoredWorkflow | None:
        """The same version, live or not. None when unknown. Raises `Conflict` when expected_version is not the present
        one, of which the registrations are, and `RouteConflict`; then nothing changed."""

    async def delete_workflow(self, workflow_id: str) -> bool:
        """With its versions, registrations and calls; its executions stay."""

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None: ...

    async def workflow_row(self, workflow_id: str) -> WorkflowRow | None:
        """The same without its document, which may be damaged."""

    async def workflow_version(self, workflow_id: str, version: int) -> StoredWorkflow | None: ...

    async def workflows(self, where: WorkflowFilter, *, offset: int, limit: int) -> Page[WorkflowRow]:
        """In the filter's order, by default the newest change first."""

    async def versions(self, workflow_id: str, offset: int, limit: int) -> Page[VersionRow]: ...

    async def label_version(self, workflow_id: str, version: int, label: str) -> bool:
        """Name a version, which then is kept beside the newest ones; an empty label takes the name away. False when
        there is no such version. Raises `Conflict` when as many have names as are kept without."""

    async def static_data(self, workflow_id: str) -> bytes | None: ...

    async def set_static_data(self, workflow_id: str, data: bytes, known: bytes | None) -> bool:
        """known: what was read before; None: there was nothing. False, and nothing is changed, when there is something
        else by now. True as well for a workflow that is unknown."""


class TagStore(Protocol):
    async def tags(self, *, offset: int, limit: int) -> Page[Tag]:
        """By name."""

    async def tag(self, tag_id: str) -> Tag | None: ...

    async def put_tag(self, tag: Tag) -> None:
        """Insert, or rename the one with this id. Raises `Conflict` when another one has the name."""

    async def delete_tag(self, tag_id: str) -> bool:
        """No workflow has it any more."""

    async def tag_workflow(self, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        """The workflow has these tags and no others. False when it is unknown. Raises `NotFound` for an unknown tag;
        then nothing changed."""


class WebhookStore(Protocol):
    async def webhooks(
        self,
        *,
        offset: int,
        limit: int,
        active: bool | None,
        workflow_id: str | None,
        kind: str | Sequence[str] = "webhook",
    ) -> Page[Webhook]:
        """Newest first. kind: one or several; what other triggers register is kept in the same form."""

    async def webhook(self, webhook_id: str) -> Webhook | None:
        """Of any kind."""

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]: ...

    async def webhook_stats(self, webhook_id: str) -> WebhookStats: ...

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        """Of each of these, by id; one that was never called is left out."""

    def add_call(self, call: NewCall) -> asyncio.Future[None]:
        """A call that started no execution (rejected). Counts in `total_calls`."""

    def count_calls(self, webhook_id: str, count: int, time: int) -> asyncio.Future[None]:
        """Calls that are counted but not kept."""

    def update_call(
        self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        """The first final status counts as a success or a failure. owner: the incarnation that ran what the call has
        started; raises `Fenced`, and changes nothing, when it is not alive."""

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        """Newest first."""

    async def delivery(self, webhook_id: str, key: str, now: int) -> StoredDelivery | None: ...


class ExecutionStore(Protocol):
    """owner, in each verb: the incarnation that writes; the rules of `ownership_storage` say when that raises `Fenced`.
    number: of the chunk `steps`."""

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        """With its call and delivery, and with its end when it is over already. The future fails with `Conflict` when
        the delivery is known, or the id is taken; then nothing was stored. Known with the same `created_at` and call,
        it is a repetition: nothing changes, and the future succeeds, also when the delivery is this execution's own.
        Raises `Fenced` when its owner is not alive; one without an owner is always taken."""

    def append_steps(
        self, execution_id: str, steps: bytes, number: int, owner: str | None = None
    ) -> asyncio.Future[None]:
        """A checkpoint: one more chunk of node runs."""

    def set_running(self, execution_id: str, started_at: int, owner: str | None = None) -> asyncio.Future[None]: ...

    def set_waiting(
        self,
        execution_id: str,
        resume_at: int | None,
        steps: bytes,
        number: int,
        owner: str | None = None,
        keeper: str | None = None,
    ) -> asyncio.Future[None]:
        """resume_at: None = until `end_wait`. keeper: who owns it while it waits, the owner itself or nobody."""

    async def end_wait(self, execution_id: str, steps: bytes, number: int, owner: str | None = None) -> bool:
        """Make a waiting execution a running one of this owner, whoever had it, with one more chunk of node runs (never
        an empty one); False, and nothing changed, when it does not wait. Repeated by the same owner with the same bytes
        under the same number it is True again, whatever the status is by now. Raises `Fenced` only when `owner` is not
        alive."""

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        """The first end counts. A chunk that is there already does not keep the end from being stored."""

    async def execution(self, execution_id: str) -> StoredExecution | None: ...

    async def executions(self, where: ExecutionFilter, *, offset: int, limit: int) -> Page[ExecutionRow]:
        """Newest first; `since` and `until` compare the creation time."""

    async def execution_rows(self, execution_ids: Sequence[str]) -> list[ExecutionRow]:
        """Those of these that are kept, newest first."""

    async def execution_stats(self, where: ExecutionFilter) -> dict[str, int]:
        """Status -> count."""

    async def delete_execution(self, execution_id: str) -> bool:
        """Raises `Conflict` while it is queued, running or waiting."""

    async def known_executions(self, execution_ids: Sequence[str]) -> set[str]:
        """Which of these are kept, whatever their status."""

    async def pending_call(self, execution_id: str) -> tuple[str, str] | None:
        """The call that waits for an execution, as its id and its webhook's; also of an execution whose row is
        damaged."""

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        """Ids of open executions in order of creation, after an id; due: of the waiting, those to resume by then. One
        whose status is damaged counts as running: whoever takes it up ends it."""


class Store(
    UserStore,
    WorkflowStore,
    TagStore,
    FolderStore,
    WebhookStore,
    ExecutionStore,
    OwnershipStore,
    ImportStore,
    DataTableStore,
    FactStore,
    FileStore,
    Protocol,
):
    """Everything that the daemon keeps."""

    name: str

    async def open(self) -> None:
        """Connect, migrate. Raises `ConfigurationError` for a newer schema, a read-only directory or a damaged file."""

    async def close(self) -> None:
        """Write what is queued, then close."""

    async def check(self) -> None:
        """Raises `StoreUnavailable` when a small durable write does not succeed now."""

    async def variables(self) -> list[Variable]: ...

    async def put_variable(self, variable: Variable) -> None:
        """Insert or replace by id. Raises `Conflict` when another one has the key."""

    async def delete_variable(self, variable_id: str) -> bool: ...

    async def credentials(self, offset: int, limit: int) -> Page[Credential]: ...

    async def credential(self, credential_id: str) -> Credential | None: ...

    async def add_credential(self, credential: Credential) -> None:
        """Raises `Conflict` when there is one with its id; then nothing changed."""

    async def put_credential(self, credential: Credential, before: Credential | None = None) -> None:
        """Insert or replace by id. before: what it was made of. Raises `Conflict` when its name, values or time of
        change are others now, or it is gone; then nothing changed."""

    async def delete_credential(self, credential_id: str) -> bool: ...

    async def prune(self, retention: Retention) -> int:
        """Delete some of what retention ends; returns how many rows."""

    @property
    def added_executions(self) -> Growth:
        """Counts what `add_execution` was given."""

    @property
    def added_calls(self) -> Growth:
        """Counts calls that `add_execution` and `add_call` were given, by their webhooks."""


@runtime_checkable
class ClaimedStore(Protocol):
    """A store that one daemon may have for itself. Whatever keeps its data in one place should be one."""

    def claim(self) -> None:
        """Before `open`, by a daemon and not by commands; `close` gives it back. Raises `ConfigurationError` while
        another daemon has it."""
