"""Drafts of workflows: what an agent or somebody proposes, before anybody has accepted it."""

from __future__ import annotations

from typing import Protocol

from ..paging import Page
from ..records import record
from .projects import Within


@record
class DraftRow:
    """A list row.

    `workflow_id`: None for a draft of no workflow yet. `execution_id`: of the failure that it repairs. `revision`: 1,
    and one more with each change. `about`: JSON that lists show, without secrets.
    """

    id: str
    workflow_id: str | None
    execution_id: str | None
    revision: int
    created_at: int
    updated_at: int
    about: bytes


@record
class StoredDraft:
    """sealed: its documents, sealed."""

    row: DraftRow
    sealed: bytes


class DraftStore(Protocol):
    """Part of the store port. All verbs raise `StoreUnavailable`."""

    async def add_draft(self, draft: StoredDraft, most: int) -> bool:
        """False, and nothing is kept, when there are `most` drafts already. Raises `Conflict` when one has its id."""

    async def change_draft(self, draft: StoredDraft, known: int) -> bool:
        """Replace the draft of this id if its revision is `known`. False: it was changed meanwhile, or is gone."""

    async def draft(self, draft_id: str) -> StoredDraft | None: ...

    async def drafts(
        self,
        workflow_id: str | None,
        execution_id: str | None,
        *,
        offset: int,
        limit: int,
        within: Within | None = None,
    ) -> Page[DraftRow]:
        """The latest change first.

        `workflow_id`: None: of every workflow; empty: of none. `execution_id`: None: of every execution and of none.
        `within`: a draft is where its workflow is, without one where it is itself.
        """

    async def delete_draft(self, draft_id: str) -> bool: ...

    async def forget_drafts(self, before: int) -> int:
        """Delete those that were changed last before this time; returns how many."""

    async def reseal_draft(self, draft_id: str, before: bytes, sealed: bytes) -> bool:
        """Replace what is sealed if it is still `before`, and change nothing else. False: it was changed or is gone."""
