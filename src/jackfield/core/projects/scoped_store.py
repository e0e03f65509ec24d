"""The store as the current reach may have it: the one place where projects hold.

Lists are limited in the store itself. A thing that a reach does not see is as good as not there. The store refuses a
change of a thing that the reach sees and may not change. Verbs that name nothing of a project pass unchanged, and so
does everything while there is no reach.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from jackfield.api.errors import AccessDenied, Conflict, JackfieldError, NotFound, StoreUnavailable
from jackfield.api.paging import Page
from jackfield.api.projects import ProjectAccess, Right, Rights, present_reach
from jackfield.api.records import replace
from jackfield.api.storage import (
    SHARED,
    Credential,
    ExecutionFilter,
    ExecutionRow,
    Folder,
    ResourceKind,
    Store,
    StoredCall,
    StoredExecution,
    StoredWorkflow,
    Variable,
    Webhook,
    WebhookStats,
    Within,
    WorkflowFilter,
    WorkflowRow,
)
from jackfield.api.storage.drafts import DraftRow, StoredDraft
from jackfield.api.storage.insights import EndedCount, EndedFilter
from jackfield.api.storage.tables import DataTable, DataTableFilter, TableOrder

ResultT = TypeVar("ResultT")
ById = tuple[ResourceKind, Right, Callable[[], Any]]  # Any: whatever the verb answers
"""Of a verb whose first argument is an id: its kind, the right, and the answer about what is not there."""


def _nothing() -> None:
    return None


def _no() -> bool:
    return False


def _empty() -> Page[Any]:  # Any: no rows of whatever kind
    return Page([], 0)


def _both(one: Within, other: Within | None) -> Within:
    """The part that both have."""
    return one if other is None else Within([each for each in one.projects if each in other.projects])


def _unknown_table() -> None:
    raise NotFound("There is no data table with this id.")


BY_ID: dict[str, ById] = {
    "workflow": ("workflow", "read", _nothing),
    "workflow_row": ("workflow", "read", _nothing),
    "workflow_version": ("workflow", "read", _nothing),
    "versions": ("workflow", "read", _empty),
    "static_data": ("workflow", "read", _nothing),
    "change_workflow": ("workflow", "write", _nothing),
    "set_active": ("workflow", "write", _nothing),
    "label_version": ("workflow", "write", _no),
    "tag_workflow": ("workflow", "write", _no),
    "credential": ("credential", "read", _nothing),
    "reseal_credential": ("credential", "read", _no),
    "data_table": ("data-table", "read", _nothing),
    "data_rows": ("data-table", "read", _unknown_table),
    "data_rows_after": ("data-table", "read", _unknown_table),
    "rename_data_table": ("data-table", "write", _unknown_table),
    "add_data_column": ("data-table", "write", _unknown_table),
    "change_data_column": ("data-table", "write", _unknown_table),
    "delete_data_column": ("data-table", "write", _unknown_table),
    "add_data_rows": ("data-table", "write", _unknown_table),
    "change_data_rows": ("data-table", "write", _unknown_table),
    "delete_data_rows": ("data-table", "write", _unknown_table),
    "clear_data_rows": ("data-table", "write", _unknown_table),
}
"""A token of a shared credential is renewed by whoever uses it, so `reseal_credential` needs no more than that."""
UNLIMITED = frozenset(
    {
        # of the daemon: users and keys, tags, facts, ids of imports, files, ledgers, hosts' leases
        "add_user", "user", "user_by_name", "user_by_identity", "users", "change_user", "delete_user", "add_api_key",
        "api_key", "api_keys", "delete_api_key", "touch_api_keys", "revoke_token", "revoked_tokens", "tags", "tag",
        "put_tag", "delete_tag", "fact", "change_fact", "imported_ids", "put_imported_ids", "data_tables_size",
        "put_ledger", "ledgers", "ledger_versions", "ledger_days", "forget_ledger_days", "open", "close", "check",
        "prune", "hold_caps", "forget_drafts", "reseal_draft",
        "compact_insights",
        # of what runs: the engine's and the ingress's own books, which no caller names
        "set_static_data", "add_execution", "append_steps", "set_running", "set_waiting", "end_wait",
        "finish_execution", "known_executions", "next_chunks", "pending_call", "open_executions", "add_call",
        "count_calls",
        "update_call", "delivery",
        # of projects themselves: `ProjectDesk` says who may
        "project_revision", "projects", "put_project", "delete_project", "project_members", "put_project_member",
        "delete_project_member", "place_resources", "forget_resource", "placements", "placed", "share_resource",
        "unshare_resource", "shares", "trim_placements",
        # kept by plugins under kinds of their own, which must look at what an entry is about
        "entry", "put_entry", "entries", "entry_count", "delete_entry", "delete_entries",
        # of the daemon: `jackfield_audit` says who reads which records
        "audit_head", "append_audit", "audit_rows", "audit_checkpoint", "drop_audit",
    }
)  # fmt: skip
"""Verbs that pass as they are. A verb that is neither here, nor in `BY_ID`, nor a method of `ScopedStore` fails a test:
whoever adds one says which it is."""


class ScopedStore:
    """`Store`; its class is the one of the store behind it, for whoever asks what that can do."""

    whole: Store
    _access: ProjectAccess

    # -- lists

    async def workflows(self, where: WorkflowFilter, *, offset: int, limit: int) -> Page[WorkflowRow]:
        rights = await self._access.rights()
        wanted = where if rights is None else replace(where, within=rights.within)
        return await self.whole.workflows(wanted, offset=offset, limit=limit)

    async def credentials(self, offset: int, limit: int) -> Page[Credential]:
        rights = await self._access.rights()
        return await self.whole.credentials(offset, limit, None if rights is None else rights.within)

    async def variables(self) -> list[Variable]:
        rights = await self._access.rights()
        return await self.whole.variables(None if rights is None else rights.within)

    async def folders(self) -> Sequence[Folder]:
        rights = await self._access.rights()
        return await self.whole.folders(None if rights is None else rights.within)

    async def data_tables(
        self, where: DataTableFilter, *, order: TableOrder, descending: bool, offset: int, limit: int
    ) -> Page[DataTable]:
        rights = await self._access.rights()
        wanted = where if rights is None else replace(where, within=rights.within)
        return await self.whole.data_tables(wanted, order=order, descending=descending, offset=offset, limit=limit)

    async def webhooks(
        self,
        *,
        offset: int,
        limit: int,
        active: bool | None,
        workflow_id: str | None,
        kind: str | Sequence[str] = "webhook",
    ) -> Page[Webhook]:
        rights = await self._access.rights()
        within = None if rights is None else rights.within
        return await self.whole.webhooks(
            offset=offset, limit=limit, active=active, workflow_id=workflow_id, kind=kind, within=within
        )

    async def executions(self, where: ExecutionFilter, *, offset: int, limit: int) -> Page[ExecutionRow]:
        rights = await self._access.rights()
        wanted = where if rights is None else replace(where, within=rights.within)
        return await self.whole.executions(wanted, offset=offset, limit=limit)

    async def execution_stats(self, where: ExecutionFilter) -> dict[str, int]:
        rights = await self._access.rights()
        wanted = where if rights is None else replace(where, within=rights.within)
        return await self.whole.execution_stats(wanted)

    async def ended_by_workflow(self, where: EndedFilter) -> Sequence[EndedCount]:
        return await self.whole.ended_by_workflow(await self._ended(where))

    async def ended_by_time(self, where: EndedFilter, unit_ms: int) -> Sequence[EndedCount]:
        return await self.whole.ended_by_time(await self._ended(where), unit_ms)

    async def _ended(self, where: EndedFilter) -> EndedFilter:
        rights = await self._access.rights()
        return where if rights is None else replace(where, within=_both(rights.within, where.within))

    async def drafts(
        self, workflow_id: str | None, execution_id: str | None, *, offset: int, limit: int
    ) -> Page[DraftRow]:
        rights = await self._access.rights()
        within = None if rights is None else rights.within
        return await self.whole.drafts(workflow_id, execution_id, offset=offset, limit=limit, within=within)

    # -- what follows a workflow

    async def execution(self, execution_id: str) -> StoredExecution | None:
        found = await self.whole.execution(execution_id)
        if found is None or await self._sees_run(found.row.id, found.row.workflow_id):
            return found
        return None

    async def execution_rows(self, execution_ids: Sequence[str]) -> list[ExecutionRow]:
        rows = await self.whole.execution_rows(execution_ids)
        return [row for row in rows if await self._sees_run(row.id, row.workflow_id)]

    async def whole_executions(self, execution_ids: Sequence[str], most_bytes: int) -> dict[str, StoredExecution]:
        found = await self.whole.whole_executions(execution_ids, most_bytes)
        return {ident: each for ident, each in found.items() if await self._sees_run(each.row.id, each.row.workflow_id)}

    async def delete_execution(self, execution_id: str) -> bool:
        if present_reach() is not None:
            rows = await self.whole.execution_rows([execution_id])
            if not rows:
                return False
            kind: ResourceKind = "execution" if rows[0].workflow_id is None else "workflow"
            if not await self._access.require(kind, rows[0].workflow_id or execution_id, "write"):
                return False
        return await self.whole.delete_execution(execution_id)

    async def webhook(self, webhook_id: str) -> Webhook | None:
        found = await self.whole.webhook(webhook_id)
        return found if found is None or await self._access.sees("workflow", found.workflow_id) else None

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]:
        found = await self.whole.webhooks_by_path(path, kind)
        seen = await self._access.seen("workflow", [each.workflow_id for each in found])
        return [each for each in found if each.workflow_id in seen]

    async def webhook_stats(self, webhook_id: str) -> WebhookStats:
        hidden = present_reach() is not None and await self.webhook(webhook_id) is None
        return WebhookStats() if hidden else await self.whole.webhook_stats(webhook_id)

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        if present_reach() is not None and self._access.in_use:
            webhook_ids = [ident for ident in webhook_ids if await self.webhook(ident) is not None]
        return await self.whole.webhooks_stats(webhook_ids)

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        if present_reach() is not None and await self.webhook(webhook_id) is None:
            return Page([], 0)
        return await self.whole.calls(webhook_id, status=status, offset=offset, limit=limit)

    async def draft(self, draft_id: str) -> StoredDraft | None:
        return await self._draft(draft_id, "read")

    async def change_draft(self, draft: StoredDraft, known: int) -> bool:
        if present_reach() is not None and await self._draft(draft.row.id, "write") is None:
            return False
        return await self.whole.change_draft(draft, known)

    # -- new things, which belong to the target of the reach

    async def add_workflow(self, workflow: StoredWorkflow, *args: Any, **named: Any) -> None:  # Any: as the store's
        async def is_there() -> bool:
            return await self.whole.workflow_row(workflow.id) is not None

        if workflow.folder_id is not None and not await self._access.require("folder", workflow.folder_id, "write"):
            workflow = replace(workflow, folder_id=None)
        await self._added("workflow", workflow.id, is_there, lambda: self.whole.add_workflow(workflow, *args, **named))

    async def add_credential(self, credential: Credential) -> None:
        async def is_there() -> bool:
            return await self.whole.credential(credential.id) is not None

        await self._added("credential", credential.id, is_there, lambda: self.whole.add_credential(credential))

    async def add_data_table(self, table: DataTable) -> None:
        async def is_there() -> bool:
            return await self.whole.data_table(table.id) is not None

        await self._added("data-table", table.id, is_there, lambda: self.whole.add_data_table(table))

    async def add_draft(self, draft: StoredDraft, most: int) -> bool:
        kept = False

        async def add() -> None:
            nonlocal kept
            kept = await self.whole.add_draft(draft, most)

        async def is_there() -> bool:
            return await self.whole.draft(draft.row.id) is not None

        workflow = draft.row.workflow_id
        if workflow is None:
            await self._added("draft", draft.row.id, is_there, add)
        elif await self._access.require("workflow", workflow, "write"):
            await add()
        else:
            raise NotFound("There is no workflow with this id.")
        return kept

    async def put_credential(self, credential: Credential, before: Credential | None = None) -> None:
        if await self.whole.credential(credential.id) is None and before is None:
            await self.add_credential(credential)
        elif await self._access.require("credential", credential.id, "write"):
            await self.whole.put_credential(credential, before)
        else:
            raise NotFound("There is no credential with this id.")

    async def put_variable(self, variable: Variable) -> None:
        known = present_reach() is None or any(each.id == variable.id for each in await self.whole.variables())
        await self._put("variable", variable.id, known, lambda: self.whole.put_variable(variable))

    async def put_folder(self, folder: Folder) -> None:
        if folder.parent_id is not None and not await self._access.require("folder", folder.parent_id, "write"):
            raise NotFound(f"There is no folder with the id {folder.parent_id}.")
        known = present_reach() is None or any(each.id == folder.id for each in await self.whole.folders())
        await self._put("folder", folder.id, known, lambda: self.whole.put_folder(folder))

    # -- what goes

    async def delete_workflow(self, workflow_id: str) -> bool:
        """Its executions stay where they are."""
        if not await self._access.require("workflow", workflow_id, "write"):
            return False
        gone = await self.whole.delete_workflow(workflow_id)
        if gone and self._access.in_use:
            for project_id in (await self.whole.shares("workflow", [workflow_id])).get(workflow_id, ()):
                await self.whole.unshare_resource("workflow", workflow_id, project_id)
            await self._access.changed()
        return gone

    async def delete_credential(self, credential_id: str) -> bool:
        return await self._gone("credential", credential_id, self.whole.delete_credential)

    async def delete_variable(self, variable_id: str) -> bool:
        return await self._gone("variable", variable_id, self.whole.delete_variable)

    async def delete_data_table(self, table_id: str) -> bool:
        return await self._gone("data-table", table_id, self.whole.delete_data_table)

    async def delete_folder(self, folder_id: str) -> bool:
        return await self._gone("folder", folder_id, self.whole.delete_folder)

    async def move_workflow(self, workflow_id: str, folder_id: str | None) -> bool:
        if not await self._access.require("workflow", workflow_id, "write"):
            return False
        if folder_id is not None and not await self._access.require("folder", folder_id, "write"):
            raise NotFound(f"There is no folder with the id {folder_id}.")
        return await self.whole.move_workflow(workflow_id, folder_id)

    async def delete_draft(self, draft_id: str) -> bool:
        if present_reach() is None:
            return await self.whole.delete_draft(draft_id)
        found = await self._draft(draft_id, "write")
        if found is None or not await self.whole.delete_draft(draft_id):
            return False
        if found.row.workflow_id is None and self._access.in_use:
            await self.whole.forget_resource("draft", draft_id)
            await self._access.changed()
        return True

    # -- how

    async def _draft(self, draft_id: str, right: Right) -> StoredDraft | None:
        """It is where its workflow is, without one where it is itself. Raises `AccessDenied`."""
        found = await self.whole.draft(draft_id)
        if found is None or present_reach() is None:
            return found
        workflow = found.row.workflow_id
        kind: ResourceKind = "draft" if workflow is None else "workflow"
        return found if await self._access.require(kind, workflow or draft_id, right) else None

    async def _sees_run(self, execution_id: str, workflow_id: str | None) -> bool:
        if workflow_id is None:
            return await self._access.sees("execution", execution_id)
        return await self._access.sees("workflow", workflow_id)

    async def _target(self) -> str | None:
        """Where the current reach makes new things; None: nothing limits it. Raises `AccessDenied`."""
        rights: Rights | None = await self._access.rights()
        if rights is None:
            return None
        if not rights.target:
            raise AccessDenied("There is no project in which you may make this; ask for the role project:editor.")
        return rights.target

    async def _added(
        self,
        kind: ResourceKind,
        resource_id: str,
        is_there: Callable[[], Awaitable[bool]],
        add: Callable[[], Awaitable[None]],
    ) -> None:
        """Placed before it is there, so that nobody else ever sees it; the store refuses what is there already. Where
        nobody knows whether it was added, as the store did not answer or the caller has gone, it stays placed."""
        target = await self._target() if present_reach() is not None else None
        if target is None or await is_there():
            await add()
            return
        if await self._is_of_another(kind, resource_id, target):
            raise Conflict("This id was in use in another project; leave it out, or give another one.")
        if target == SHARED:
            await add()
            return
        await self.whole.place_resources(kind, [resource_id], target)
        try:
            await add()
            if not await self.whole.placements(kind, [resource_id]):  # trimmed, as it was not there yet
                await self.whole.place_resources(kind, [resource_id], target)
        except JackfieldError as exc:
            if not isinstance(exc, StoreUnavailable):
                await self.whole.forget_resource(kind, resource_id)
            raise
        finally:
            await self._access.changed()

    async def _is_of_another(self, kind: ResourceKind, resource_id: str, project_id: str) -> bool:
        """Whether something that is gone had this id in another project: its executions are there still, and whoever
        got the id would get them."""
        before = (await self.whole.placements(kind, [resource_id])).get(resource_id, SHARED)
        if before == project_id or before != SHARED:
            return before != project_id
        if kind != "workflow":
            return False
        left = await self.whole.executions(ExecutionFilter(workflow_id=resource_id), offset=0, limit=1)
        return left.total > 0

    async def _put(self, kind: ResourceKind, resource_id: str, known: bool, put: Callable[[], Awaitable[None]]) -> None:
        if known:
            if not await self._access.require(kind, resource_id, "write"):
                raise NotFound(f"There is no {kind} with this id.")
            await put()
            return

        async def is_there() -> bool:
            return False

        await self._added(kind, resource_id, is_there, put)

    async def _gone(self, kind: ResourceKind, resource_id: str, delete: Callable[[str], Awaitable[bool]]) -> bool:
        if not await self._access.require(kind, resource_id, "write"):
            return False
        gone = await delete(resource_id)
        if gone and self._access.in_use:
            await self.whole.forget_resource(kind, resource_id)
            await self._access.changed()
        return gone
