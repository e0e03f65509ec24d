"""The part of the store port that keeps executions; see `jackfield.api.storage`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from ..errors import Conflict
from ..paging import Page
from ..records import record
from ..workflows import Document
from .ownership import OpenStatus
from .projects import Within
from .webhooks import CallStatus, CallUpdate, Delivery, NewCall

if TYPE_CHECKING:
    import asyncio

ExecutionStatus = Literal["queued", "running", "waiting", "success", "failed", "cancelled"]
EXECUTION_STATUSES: tuple[ExecutionStatus, ...] = get_args(ExecutionStatus)
OPEN_STATUSES: tuple[OpenStatus, ...] = get_args(OpenStatus)
"""Those of an execution that is not over."""


@record
class StaticChange:
    """The memory that a workflow has from now on (see `WorkflowStore.set_static_data`), stored in the transaction that
    stores an execution. `known`: the value that was read before; None: there was nothing.
    """

    workflow_id: str
    data: bytes
    known: bytes | None


@record
class NewExecution:
    """`input`: JSON bytes of {"start": node name, "items": [...], ...}, the engine's own form.

    `document`: only for a workflow that is not saved. `status`: queued, running, or already final when accepted and
    finished in one. `owner`: the incarnation that runs it, or keeps it in memory for its turn; None: whoever claims it.
    """

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
    static: StaticChange | None = None
    """Never beside a delivery."""


@record
class FinishedExecution:
    """The end of an execution.

    `steps`: the last chunk of node runs (JSON bytes), if any. `number`: its number. `call`: joined to the same
    transaction. `owner`: who writes this.
    """

    id: str
    status: ExecutionStatus
    finished_at: int
    started_at: int
    steps: bytes | None = None
    error: bytes | None = None
    """JSON bytes of {message, node?, itemIndex?}."""
    call: CallUpdate | None = None
    forget_at: int | None = None
    """Unix ms from which on `prune` deletes it, once no execution is open whose id begins with the same 13 characters.
    A parent may still ask for it. None: it is kept as long as others."""
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
    """Everything of one execution.

    `steps`: chunks in order. `call`: its id and webhook, when a call started it. `next_chunk`: above all numbers of its
    chunks. `owner`: an incarnation's id, also of one that is not alive, and of the last one when it is over. See
    `Claimed` for epoch.
    """

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
    """within: of the workflows that these projects have, or that are shared with them; None: all, and those of
    workflows that are not saved, too."""

    workflow_id: str | None = None
    status: str | None = None
    mode: str | None = None
    since: int | None = None
    until: int | None = None
    within: Within | None = None


def static_changed() -> Conflict:
    """For stores: what a workflow remembers is no longer what the caller has read."""
    return Conflict("The workflow's static data was changed meanwhile.", details={"staticData": "read it again"})


class ExecutionStore(Protocol):
    """owner, in each verb: the incarnation that writes; the rules of `ownership` say when that raises `Fenced`.
    number: of the chunk `steps`."""

    def add_execution(self, execution: NewExecution, finished: FinishedExecution | None = None) -> asyncio.Future[None]:
        """With its call, delivery and static data, and with its end when it is over already.

        The future fails with `Conflict` when the delivery is known, the id is taken, or the static data has changed
        meanwhile (details name `staticData`). Then nothing was stored. Known with the same `created_at` and call, it is
        a repetition: nothing changes, and the future succeeds, also when the delivery is this execution's own. Raises
        `Fenced` when its owner is not alive; one without an owner is always taken.
        """

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
        an empty one). False, and nothing changed, when it does not wait. Repeated by the same owner with the same bytes
        under the same number it is True again, whatever the status is by now. Raises `Fenced` only when `owner` is not
        alive."""

    def finish_execution(self, finished: FinishedExecution) -> asyncio.Future[None]:
        """The first end counts. A chunk that is there already does not keep the end from being stored."""

    async def execution(self, execution_id: str) -> StoredExecution | None: ...

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        """Those of these that can be read together, by id, as long as their inputs and chunks have no more bytes than
        that. One that is left out is to be read by itself: it has no room, is damaged or unknown."""

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

    async def next_chunks(self, execution_ids: Sequence[str]) -> dict[str, int]:
        """`StoredExecution.next_chunk` of those of these that are kept, by id.

        Two looks at an execution that waits are at the same wait when they give the same number.
        """

    async def pending_call(self, execution_id: str) -> tuple[str, str] | None:
        """The call that waits for an execution, as its id and its webhook's; also of an execution whose row is
        damaged."""

    async def open_executions(
        self, *, statuses: Sequence[str], after: str | None, limit: int, due: int | None = None
    ) -> list[str]:
        """Ids of open executions in order of creation, after an id; due: of the waiting, those to resume by then. One
        whose status is damaged counts as running: whoever takes it up ends it."""
