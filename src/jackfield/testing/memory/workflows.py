"""Workflows and webhooks in memory."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import replace

from ...api.errors import Conflict, RouteConflict
from ...api.ids import new_id
from ...api.shared_workflows import ChangedWorkflows
from ...api.storage import (
    Page,
    StoredWorkflow,
    VersionRow,
    Webhook,
    WebhookStats,
    Within,
    WorkflowFilter,
    WorkflowOrder,
    WorkflowRow,
)
from ...api.triggers import Registration
from ...api.workflow_words import words_of
from ...api.workflows import Document
from .folders import MemoryFolders
from .tables import VERSIONS_KEPT, SavedWorkflow, page_of, taken


class MemoryWorkflows(MemoryFolders):
    """Part of `MemoryStore`."""

    async def add_workflow(
        self,
        workflow: StoredWorkflow,
        registrations: Sequence[Registration],
        author: str | None,
        *,
        tags: Sequence[str] = (),
    ) -> None:
        self._answer()
        if workflow.id in self._workflows:
            raise taken()
        if workflow.active:
            self._check_routes(workflow.id, workflow.name, registrations)
        saved = self._workflows[workflow.id] = SavedWorkflow(workflow)
        saved.save(workflow, author)
        saved.tags = self._named_tags(tags, workflow.created_at)
        self._register(saved, registrations, workflow.created_at)
        self._changed(workflow.id)

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
        self._answer()
        saved = self._workflows.get(workflow_id)
        if saved is None:
            return None
        old = saved.current
        _check_version(old.version, expected_version)
        live = old.active if active is None else active
        if live:
            self._check_routes(workflow_id, name, registrations)
        new = replace(old, document=document, name=name, version=old.version + 1, updated_at=now, active=live)
        saved.save(new, author)
        if tags is not None:
            saved.tags = self._named_tags(tags, now)
        self._register(saved, registrations, now)
        self._changed(workflow_id)
        return self._tagged(new)

    async def set_active(
        self,
        workflow_id: str,
        active: bool,
        registrations: Sequence[Registration],
        *,
        now: int,
        expected_version: int | None = None,
    ) -> StoredWorkflow | None:
        self._answer()
        saved = self._workflows.get(workflow_id)
        if saved is None:
            return None
        _check_version(saved.current.version, expected_version)
        if active:
            self._check_routes(workflow_id, saved.current.name, registrations)
        saved.current = replace(saved.current, active=active, updated_at=now)
        self._register(saved, registrations, now)
        self._changed(workflow_id)
        return self._tagged(saved.current)

    async def delete_workflow(self, workflow_id: str) -> bool:
        self._answer()
        saved = self._workflows.pop(workflow_id, None)
        self._changed(workflow_id)
        for webhook_id in saved.registered if saved else ():
            self._forget_history(webhook_id)
        return saved is not None

    def _changed(self, workflow_id: str) -> None:
        self._revisions.pop(workflow_id, None)
        self._revision += 1
        self._revisions[workflow_id] = self._revision

    async def changed_workflows(self, since: int | None) -> ChangedWorkflows:
        self._answer()
        return ChangedWorkflows(self._revision, [ident for ident, at in self._revisions.items() if at > (since or 0)])

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None:
        self._answer()
        saved = self._workflows.get(workflow_id)
        return self._tagged(saved.current) if saved else None

    async def workflow_row(self, workflow_id: str) -> WorkflowRow | None:
        found = await self.workflow(workflow_id)
        return None if found is None else _listed(found)

    async def workflow_version(self, workflow_id: str, version: int) -> StoredWorkflow | None:
        self._answer()
        saved = self._workflows.get(workflow_id)
        found = saved.versions.get(version) if saved else None
        return self._tagged(replace(found[0], active=saved.current.active)) if saved and found else None

    async def workflows(self, where: WorkflowFilter, *, offset: int, limit: int) -> Page[WorkflowRow]:
        self._answer()
        part = (where.search or "").casefold()
        found = [
            each
            for each in map(self._tagged, [saved.current for saved in self._workflows.values()])
            if where.active in (None, each.active) and part in each.name.casefold()
            if {tag.name for tag in each.tags}.issuperset(where.tags)
            if self._is_within("workflow", each.id, where.within)
            if where.folder in (None, each.folder_id or "") and (where.words or "").casefold() in _searched(each)
        ]
        found.sort(key=lambda each: (_sorted_by(where.order, each), each.id), reverse=where.order.startswith("-"))
        return page_of(map(_listed, found), offset, limit)

    async def versions(self, workflow_id: str, offset: int, limit: int) -> Page[VersionRow]:
        self._answer()
        saved = self._workflows.get(workflow_id)
        kept = sorted(saved.versions.items(), reverse=True) if saved else []
        labels = saved.labels if saved else {}
        rows = (
            VersionRow(number, each.name, each.updated_at, author, labels.get(number, ""))
            for number, (each, author) in kept
        )
        return page_of(rows, offset, limit)

    async def label_version(self, workflow_id: str, version: int, label: str) -> bool:
        self._answer()
        saved = self._workflows.get(workflow_id)
        if saved is None or version not in saved.versions:
            return False
        others = {number: text for number, text in saved.labels.items() if number != version}
        if label and len(others) >= VERSIONS_KEPT:
            raise Conflict(f"As many as {VERSIONS_KEPT} versions of the workflow have names.")
        saved.labels = {**others, **({version: label} if label else {})}
        return True

    async def static_data(self, workflow_id: str) -> bytes | None:
        self._answer()
        saved = self._workflows.get(workflow_id)
        return saved.static_data if saved else None

    async def set_static_data(self, workflow_id: str, data: bytes, known: bytes | None) -> bool:
        self._answer()
        saved = self._workflows.get(workflow_id)
        if saved is not None and saved.static_data != known:
            return False
        if saved is not None:
            saved.static_data = data
        return True

    def _check_routes(self, workflow_id: str, name: str, registrations: Sequence[Registration]) -> None:
        live = {
            (each.kind, each.method, each.pattern): saved.current
            for saved in self._workflows.values()
            if saved.current.active and saved.current.id != workflow_id
            for each, _ in saved.registered.values()
        }
        own: set[tuple[str, str, str]] = set()
        for each in registrations:
            route = each.kind, each.method, each.pattern
            if not each.pattern:
                continue
            if route in live:
                raise _route_conflict(each, live[route].id, live[route].name)
            if route in own:
                raise _route_conflict(each, workflow_id, name)
            own.add(route)

    def _register(self, saved: SavedWorkflow, registrations: Sequence[Registration], now: int) -> None:
        old = dict(saved.registered)
        new: dict[str, tuple[Registration, int]] = {}
        for each in registrations:
            same = (webhook_id for webhook_id, (other, _) in old.items() if _place(other) == _place(each))
            webhook_id = next(same, None) or new_id()
            new[webhook_id] = (each, old.pop(webhook_id)[1] if webhook_id in old else now)
        for webhook_id in old:
            self._forget_history(webhook_id)
        saved.registered = new

    async def webhooks(
        self,
        *,
        offset: int,
        limit: int,
        active: bool | None,
        workflow_id: str | None,
        kind: str | Sequence[str] = "webhook",
        within: Within | None = None,
    ) -> Page[Webhook]:
        self._answer()
        kinds = [kind] if isinstance(kind, str) else kind
        found = [
            each
            for each in self._webhooks(*kinds)
            if active in (None, each.active) and workflow_id in (None, each.workflow_id)
            if self._is_within("workflow", each.workflow_id, within)
        ]
        return page_of(found, offset, limit)

    async def webhook(self, webhook_id: str) -> Webhook | None:
        self._answer()
        return next((each for each in self._webhooks(*self._kinds()) if each.id == webhook_id), None)

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]:
        self._answer()
        return [each for each in self._webhooks(kind) if each.path == path]

    async def webhook_stats(self, webhook_id: str) -> WebhookStats:
        self._answer()
        return self._stats.get(webhook_id, WebhookStats())

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        self._answer()
        return {webhook_id: self._stats[webhook_id] for webhook_id in webhook_ids if webhook_id in self._stats}

    def _kinds(self) -> set[str]:
        return {each.kind for saved in self._workflows.values() for each, _ in saved.registered.values()}

    def _webhooks(self, *kinds: str) -> list[Webhook]:
        found = [
            Webhook(
                webhook_id, saved.current.id, saved.current.name, each.node_id, each.node_name, each.method, each.path,
                each.pattern, each.authentication, saved.current.active, created_at, each.kind,
            )
            for saved in self._workflows.values()
            for webhook_id, (each, created_at) in saved.registered.items()
            if each.kind in kinds
        ]  # fmt: skip
        return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)

    def _forget_history(self, webhook_id: str) -> None:
        self._stats.pop(webhook_id, None)
        self._calls = {call_id: call for call_id, call in self._calls.items() if call.webhook_id != webhook_id}
        self._deliveries = {key: each for key, each in self._deliveries.items() if key[0] != webhook_id}


def _listed(saved: StoredWorkflow) -> WorkflowRow:
    nodes = saved.document.get("nodes")
    count = len(nodes) if isinstance(nodes, list) else 0
    return WorkflowRow(
        saved.id,
        saved.name,
        saved.active,
        saved.version,
        saved.created_at,
        saved.updated_at,
        count,
        saved.tags,
        saved.folder_id,
    )


def _searched(saved: StoredWorkflow) -> str:
    tags = [tag.name.casefold() for tag in saved.tags]
    return "\n".join([saved.name.casefold(), words_of(saved.document), *tags])


def _sorted_by(order: WorkflowOrder, saved: StoredWorkflow) -> tuple[int, str]:
    row, column = _listed(saved), order.removeprefix("-")
    numbers = {"createdAt": row.created_at, "updatedAt": row.updated_at, "nodeCount": row.node_count}
    return numbers.get(column, 0), row.name.casefold() if column == "name" else ""


def _place(registration: Registration) -> tuple[str, str, str]:
    return registration.kind, registration.node_id, registration.method


def _route_conflict(wanted: Registration, workflow_id: str, name: str) -> RouteConflict:
    return RouteConflict(
        f"{wanted.method} {wanted.path} is served by the workflow {name} ({workflow_id}) already.",
        details={"workflowId": workflow_id, "workflowName": name, "method": wanted.method, "path": wanted.path},
    )


def _check_version(present: int, expected: int | None) -> None:
    if expected not in (None, present):
        raise Conflict(
            f"The workflow is at version {present}, not {expected}; load it again and repeat the change.",
            details={"version": f"is {present}"},
        )
