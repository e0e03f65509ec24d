"""The whole of the store port; see `jackfield.api.storage`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..paging import Page
from ..records import record
from .audit import AuditStore
from .drafts import DraftStore
from .entries import EntryStore
from .executions import ExecutionStore
from .facts import FactStore
from .files import FileStore
from .folders import FolderStore
from .imports import ImportStore
from .insights import InsightStore
from .ledgers import LedgerStore
from .ownership import OwnershipStore
from .projects import ProjectStore, Within
from .tables import DataTableStore
from .users import Credential, UserStore, Variable
from .webhooks import WebhookStore
from .workflows import TagStore, WorkflowStore

KEEP_ALL = 1 << 53
"""Of a cap: there is none."""


@record
class Retention:
    """The rows that `prune` deletes: executions that finished before a time, are beyond a count, or have reached their
    `forget_at`. Also calls per webhook likewise, and expired deliveries and revocations. `limit`: rows per call of
    `prune`, so that a writer is never held for long.
    """

    executions_before: int
    executions_keep: int
    calls_before: int
    calls_keep: int
    now: int
    limit: int = 1000

    @property
    def keeps_executions(self) -> bool:
        return self.executions_keep >= KEEP_ALL and not self.executions_before

    @property
    def keeps_calls(self) -> bool:
        return self.calls_keep >= KEEP_ALL and not self.calls_before


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
    LedgerStore,
    InsightStore,
    EntryStore,
    AuditStore,
    DraftStore,
    ProjectStore,
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

    async def variables(self, within: Within | None = None) -> list[Variable]: ...

    async def put_variable(self, variable: Variable) -> None:
        """Insert or replace by id. Raises `Conflict` when another one has the key."""

    async def delete_variable(self, variable_id: str) -> bool: ...

    async def credentials(self, offset: int, limit: int, within: Within | None = None) -> Page[Credential]: ...

    async def credential(self, credential_id: str) -> Credential | None: ...

    async def add_credential(self, credential: Credential) -> None:
        """Raises `Conflict` when there is one with its id; then nothing changed."""

    async def put_credential(self, credential: Credential, before: Credential | None = None) -> None:
        """Insert or replace by id. before: what it was made of. Raises `Conflict` when its name, values or time of
        change are others now, or it is gone; then nothing changed."""

    async def delete_credential(self, credential_id: str) -> bool: ...

    async def prune(self, retention: Retention) -> int:
        """Delete some of what retention ends; returns how many rows."""

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        """From now on keep at most that many ended executions, that many calls of each webhook, and a hundredth of that
        more. New ones push out the executions that ended first, and the calls that came first. An execution that waited
        for long is a new one when it ends. An excess from before goes with it, or with `prune`. None: as before. Called
        on the event loop's thread.
        """


@runtime_checkable
class ClaimedStore(Protocol):
    """A store that one daemon may have for itself. A store that keeps its data in one place should be one."""

    def claim(self) -> None:
        """Before `open`, by a daemon and not by commands; `close` gives it back. Raises `ConfigurationError` while
        another daemon has it."""


@runtime_checkable
class ShareableStore(Protocol):
    """A claimed store that workers of the same daemon can use through the process that has it.

    From then on it is not `exclusive`, and several incarnations are alive side by side.
    """

    def share(self) -> None:
        """Before `open`."""

    def end_life(self, owner: str) -> None:
        """An incarnation whose process has ended is not alive any more; what it owns can be claimed. Does nothing for
        one that is not alive."""
