"""The state that the parts of `MemoryStore` share: the dictionaries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from ...api.errors import Conflict, StoreUnavailable
from ...api.records import replace
from ...api.storage import (
    KEEP_ALL,
    SHARED,
    ApiKey,
    Credential,
    ExecutionRow,
    Folder,
    ImportedId,
    NewExecution,
    Page,
    Project,
    ProjectMember,
    ResourceKind,
    StoredCall,
    StoredDelivery,
    StoredWorkflow,
    Tag,
    User,
    Variable,
    WebhookStats,
    Within,
)
from ...api.storage.audit import AuditCheckpoint, AuditRow
from ...api.storage.drafts import StoredDraft
from ...api.storage.entries import Entry
from ...api.storage.ledgers import LedgerDay, StoredLedger
from ...api.storage.tables import Cell, Cells, DataRow, DataTable
from ...api.triggers import Registration
from ...api.workflows import Document

RowT = TypeVar("RowT")
VERSIONS_KEPT = 100


@dataclass
class SavedWorkflow:
    """A workflow, its versions by number, and what it registers: id -> registration and when it came."""

    current: StoredWorkflow
    versions: dict[int, tuple[StoredWorkflow, str | None]] = field(default_factory=dict)
    registered: dict[str, tuple[Registration, int]] = field(default_factory=dict)
    static_data: bytes | None = None
    tags: set[str] = field(default_factory=set)
    labels: dict[int, str] = field(default_factory=dict)

    def save(self, version: StoredWorkflow, author: str | None) -> None:
        self.current = version
        self.versions[version.version] = (version, author)
        for number in sorted(self.versions)[:-VERSIONS_KEPT]:
            if number not in self.labels:
                del self.versions[number]


@dataclass
class MemoryRun:
    """steps: chunks by their numbers."""

    row: ExecutionRow
    input: bytes
    steps: dict[int, bytes]
    document: Document | None
    call: tuple[str, str] | None
    owner: str | None = None
    epoch: int = 1

    def is_again(self, new: NewExecution) -> bool:
        """Whether this is the same execution, stored once more."""
        call = (new.call.id, new.call.webhook_id) if new.call else None
        return (self.row.created_at, self.call) == (new.created_at, call)


@dataclass
class StoredTable:
    """A data table. rows: id -> when it was made and changed; cells: id -> id of a column -> what it holds."""

    table: DataTable
    rows: dict[int, tuple[int, int]] = field(default_factory=dict)
    cells: dict[int, dict[str, Cell]] = field(default_factory=dict)
    last: int = 0

    def row(self, row_id: int) -> DataRow:
        held = self.cells[row_id]
        return DataRow(row_id, *self.rows[row_id], {each.name: held.get(each.id) for each in self.table.columns})

    def put(self, row_id: int, cells: Cells) -> None:
        ids = {each.name: each.id for each in self.table.columns}
        self.cells.setdefault(row_id, {}).update({ids[name]: cell for name, cell in cells.items()})

    def shown(self) -> DataTable:
        size = sum(len(str(cell)) for held in self.cells.values() for cell in held.values()) + 32 * len(self.rows)
        return replace(self.table, rows=len(self.rows), size=size, last_row=self.last)


def page_of(rows: Iterable[RowT], offset: int, limit: int) -> Page[RowT]:
    every = list(rows)
    return Page(every[offset : offset + limit], len(every))


def taken() -> Conflict:
    return Conflict("There is something with this id already.")


class MemoryTables:
    """`fail_with` makes every verb fail with that error until it is None again."""

    def __init__(self) -> None:
        self.fail_with: StoreUnavailable | None = None
        self._most_executions = self._most_calls = KEEP_ALL
        self._users: dict[str, User] = {}
        self._keys: dict[str, ApiKey] = {}
        self._revoked: dict[str, int] = {}
        self._workflows: dict[str, SavedWorkflow] = {}
        self._revision = 0
        self._revisions: dict[str, int] = {}
        self._calls: dict[str, StoredCall] = {}
        self._stats: dict[str, WebhookStats] = {}
        self._unsaved: dict[str, int] = {}
        self._deliveries: dict[tuple[str, str], tuple[int, StoredDelivery]] = {}
        self._runs: dict[str, MemoryRun] = {}
        self._tags: dict[str, Tag] = {}
        self._folders: dict[str, Folder] = {}
        self._variables: dict[str, Variable] = {}
        self._credentials: dict[str, Credential] = {}
        self._facts: dict[str, str] = {}
        self._ledgers: dict[str, StoredLedger] = {}
        self._ledger_days: dict[str, dict[int, LedgerDay]] = {}
        self._audit: list[AuditRow] = []
        self._audit_left: AuditCheckpoint | None = None
        self._gone: dict[tuple[int, str, str, str], tuple[int, int]] = {}
        """Hour, workflow, mode and status of executions that are deleted -> their number and milliseconds."""
        self._entries: dict[tuple[str, str], Entry] = {}
        self._drafts: dict[str, StoredDraft] = {}
        self._file_references: dict[str, dict[str, int]] = {}
        self._released_files: dict[str, int] = {}
        self._claimed_files: dict[str, int] = {}
        self._counts: dict[tuple[str, str, int], int] = {}
        self._data_tables: dict[str, StoredTable] = {}
        self._projects: dict[str, Project] = {}
        self._members: dict[tuple[str, str], ProjectMember] = {}
        self._placed: dict[tuple[ResourceKind, str], str] = {}
        self._shared: set[tuple[ResourceKind, str, str]] = set()
        self._project_revision = 0
        self._imported: dict[tuple[str, str, str], ImportedId] = {}

    def _is_within(self, kind: ResourceKind, ident: str | None, within: Within | None) -> bool:
        """Whether a list that is limited so has this."""
        if within is None or ident is None:
            return within is None
        shared = any((kind, ident, project) in self._shared for project in within.projects)
        return shared or self._placed.get((kind, ident), SHARED) in within.projects

    def _answer(self) -> None:
        if self.fail_with is not None:
            raise self.fail_with

    def _trim(self) -> None:
        """Delete what is beyond the caps."""

    def _queued(self, change: Callable[[], None]) -> asyncio.Future[None]:
        """Done at once, and told like a store that takes its time."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            self._answer()
            change()
            self._trim()
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(None)
        return future
