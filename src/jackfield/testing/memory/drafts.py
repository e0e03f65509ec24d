"""Drafts of workflows, in memory."""

from __future__ import annotations

from ...api.paging import Page
from ...api.records import replace
from ...api.storage import ResourceKind, Within
from ...api.storage.drafts import DraftRow, StoredDraft
from .tables import MemoryTables, page_of, taken


class MemoryDrafts(MemoryTables):
    """Part of `MemoryStore`."""

    async def add_draft(self, draft: StoredDraft, most: int) -> bool:
        self._answer()
        if draft.row.id in self._drafts:
            raise taken()
        if len(self._drafts) >= most:
            return False
        self._drafts[draft.row.id] = draft
        return True

    async def change_draft(self, draft: StoredDraft, known: int) -> bool:
        self._answer()
        found = self._drafts.get(draft.row.id)
        if found is None or found.row.revision != known:
            return False
        self._drafts[draft.row.id] = replace(draft, row=replace(draft.row, created_at=found.row.created_at))
        return True

    async def draft(self, draft_id: str) -> StoredDraft | None:
        self._answer()
        return self._drafts.get(draft_id)

    async def drafts(
        self,
        workflow_id: str | None,
        execution_id: str | None,
        *,
        offset: int,
        limit: int,
        within: Within | None = None,
    ) -> Page[DraftRow]:
        self._answer()
        seen = (found.row for found in self._drafts.values() if self._is_within(*_place(found.row), within))
        rows = sorted(seen, key=lambda row: (-row.updated_at, row.id))
        of_workflow = (row for row in rows if workflow_id is None or (row.workflow_id or "") == workflow_id)
        return page_of(
            (row for row in of_workflow if execution_id is None or row.execution_id == execution_id), offset, limit
        )

    async def delete_draft(self, draft_id: str) -> bool:
        self._answer()
        return self._drafts.pop(draft_id, None) is not None

    async def forget_drafts(self, before: int) -> int:
        self._answer()
        gone = [name for name, found in self._drafts.items() if found.row.updated_at < before]
        for name in gone:
            del self._drafts[name]
        return len(gone)

    async def reseal_draft(self, draft_id: str, before: bytes, sealed: bytes) -> bool:
        self._answer()
        found = self._drafts.get(draft_id)
        if found is None or found.sealed != before:
            return False
        self._drafts[draft_id] = replace(found, sealed=sealed)
        return True


def _place(row: DraftRow) -> tuple[ResourceKind, str]:
    return ("draft", row.id) if row.workflow_id is None else ("workflow", row.workflow_id)
