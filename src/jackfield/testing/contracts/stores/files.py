"""References of executions to kept files: what holds for every store."""

from __future__ import annotations

from jackfield.api.storage import Store

from .rows import ended, new

_NOW, _LATER = 1_000_000, 9_000_000


class StoreFilesContract:
    """File references: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_file_is_released_with_its_last_reference(self, store: Store) -> None:
        await store.refer_to_files("e1", ["f1", "f2"], _NOW)
        await store.refer_to_files("e2", ["f2"], _NOW)
        await store.release_files(["e1"], _NOW + 5)
        assert await store.released_files(_LATER, 10) == ["f1"]
        assert await store.released_files(_NOW + 5, 10) == [], "it was not released before that moment"
        await store.release_files(["e2", "e1"], _NOW + 6)
        assert await store.released_files(_LATER, 10) == ["f1", "f2"]
        assert await store.released_files(_LATER, 1) == ["f1"]

    async def test_a_file_that_is_referred_to_again_is_not_released(self, store: Store) -> None:
        await store.refer_to_files("e1", ["f1"], _NOW)
        await store.release_files(["e1"], _NOW)
        await store.refer_to_files("e2", ["f1"], _NOW + 1)
        assert await store.released_files(_LATER, 10) == []
        await store.release_files(["e2"], _NOW + 9)
        assert await store.released_files(_NOW + 9, 10) == []
        assert await store.released_files(_NOW + 10, 10) == ["f1"]

    async def test_a_forgotten_file_is_not_found_again(self, store: Store) -> None:
        await store.refer_to_files("e1", ["f1", "f2"], _NOW)
        await store.release_files(["e1"], _NOW)
        await store.forget_files(["f1", "unknown"])
        assert await store.released_files(_LATER, 10) == ["f2"]

    async def test_nobody_refers_to_a_file_that_somebody_deletes(self, store: Store) -> None:
        await store.refer_to_files("e1", ["f1", "f2", "f3"], _NOW)
        await store.refer_to_files("e2", ["f3"], _NOW)
        await store.release_files(["e1"], _NOW)
        assert await store.claim_files(_NOW, _NOW, 10) == []
        assert await store.claim_files(_NOW + 1, _NOW + 5, 1) == ["f1"]
        assert await store.refer_to_files("e3", ["f1", "f2", "f4"], _NOW) == ["f1"]
        await store.release_files(["e3"], _NOW + 6)
        assert await store.released_files(_LATER, 10) == ["f1", "f2", "f4"], "the others were referred to"
        await store.forget_files(["f1"])
        assert await store.refer_to_files("e4", ["f1"], _NOW) == []

    async def test_a_claim_is_over_when_it_is_old(self, store: Store) -> None:
        """Its holder has died."""
        await store.refer_to_files("e1", ["f1"], _NOW)
        await store.release_files(["e1"], _NOW)
        assert await store.claim_files(_NOW + 9, _NOW + 10, 10) == ["f1"]
        assert await store.claim_files(_NOW + 10, _NOW + 11, 10) == []
        assert await store.claim_files(_NOW + 11, _NOW + 12, 10) == ["f1"]
        assert await store.refer_to_files("e2", ["f1"], _NOW) == ["f1"]

    async def test_references_may_be_repeated(self, store: Store) -> None:
        for moment in (_NOW, _NOW + 50):
            await store.refer_to_files("e1", ["f1", "f1"], moment)
        await store.refer_to_files("e1", [], _NOW)
        assert await store.executions_without_row(_NOW + 1, "", 10) == ["e1"], "the first time counts"
        await store.release_files(["e1", "e1", "unknown"], _NOW)
        await store.release_files(["e1"], _NOW + 50)
        await store.release_files([], _NOW)
        assert await store.released_files(_NOW + 1, 10) == ["f1"]
        assert await store.executions_without_row(_LATER, "", 10) == []

    async def test_executions_without_a_row_are_found(self, store: Store) -> None:
        """Those that were never stored, and those that were deleted, when they have not changed for long."""
        await store.add_execution(new("kept"), ended("kept"))
        await store.add_execution(new("open"))
        await store.add_execution(new("deleted"), ended("deleted"))
        await store.delete_execution("deleted")
        for execution in ("kept", "open", "deleted", "never"):
            await store.refer_to_files(execution, ["f1", "f2"], _NOW)
        await store.refer_to_files("young", ["f1"], _NOW)
        await store.refer_to_files("young", ["f3"], _NOW + 100)
        assert await store.executions_without_row(_NOW + 100, "", 10) == ["deleted", "never"]
        assert await store.executions_without_row(_LATER, "deleted", 1) == ["never"]
        assert await store.executions_without_row(_LATER, "never", 10) == ["young"]
        assert await store.executions_without_row(_NOW, "", 10) == []
