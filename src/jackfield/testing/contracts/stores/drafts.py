"""Drafts of workflows: what holds for every store."""

from __future__ import annotations

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import Store
from jackfield.api.storage.drafts import DraftRow, StoredDraft

_ODD = bytes(range(256))


def draft(id: str, workflow: str | None = None, execution: str | None = None, *, at: int = 1000) -> StoredDraft:
    return StoredDraft(DraftRow(id, workflow, execution, 1, at, at, b'{"title": "\xc3\xa9"}'), _ODD)


class StoreDraftsContract:
    """Drafts: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_draft_comes_back_as_it_was(self, store: Store) -> None:
        made = draft("a", "w", "e")
        assert await store.add_draft(made, 10)
        assert await store.draft("a") == made
        assert await store.draft("b") is None
        with pytest.raises(Conflict):
            await store.add_draft(made, 10)
        assert await store.delete_draft("a")
        assert not await store.delete_draft("a")

    async def test_there_are_so_many_at_most(self, store: Store) -> None:
        assert [await store.add_draft(draft(name), 2) for name in "abc"] == [True, True, False]
        assert (await store.drafts(None, None, offset=0, limit=10)).total == 2
        assert await store.draft("c") is None

    async def test_a_change_is_of_the_revision_that_was_read(self, store: Store) -> None:
        made = draft("a")
        await store.add_draft(made, 10)
        later = StoredDraft(replace(made.row, workflow_id="w", revision=2, updated_at=2000, about=b"{}"), b"2")
        assert not await store.change_draft(later, 2)
        assert await store.change_draft(later, 1)
        assert not await store.change_draft(later, 1)
        assert await store.draft("a") == later
        assert not await store.change_draft(draft("gone"), 1)

    async def test_lists_are_of_a_workflow_or_an_execution(self, store: Store) -> None:
        for name, workflow, execution, at in (("a", "w", "e", 1), ("b", "w", None, 3), ("c", None, None, 2)):
            await store.add_draft(draft(name, workflow, execution, at=at), 10)

        async def ids(workflow: str | None, execution: str | None, offset: int = 0, limit: int = 10) -> list[str]:
            return [row.id for row in (await store.drafts(workflow, execution, offset=offset, limit=limit)).rows]

        assert await ids(None, None) == ["b", "c", "a"]
        assert await ids(None, None, 1, 1) == ["c"]
        assert await ids("w", None) == ["b", "a"]
        assert await ids("", None) == ["c"]
        assert await ids(None, "e") == await ids("w", "e") == ["a"]
        assert await ids("other", None) == []

    async def test_what_nobody_has_changed_for_long_is_forgotten(self, store: Store) -> None:
        for name, at in (("old", 9), ("new", 10)):
            await store.add_draft(draft(name, at=at), 10)
        assert await store.forget_drafts(10) == 1
        assert [row.id for row in (await store.drafts(None, None, offset=0, limit=10)).rows] == ["new"]

    async def test_sealing_anew_changes_nothing_else(self, store: Store) -> None:
        made = draft("a")
        await store.add_draft(made, 10)
        assert not await store.reseal_draft("a", b"other", b"new")
        assert await store.reseal_draft("a", _ODD, b"new")
        assert await store.draft("a") == replace(made, sealed=b"new")
