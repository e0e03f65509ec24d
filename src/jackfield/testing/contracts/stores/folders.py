"""Folders, and how workflows are searched and sorted: what holds for every store."""

from __future__ import annotations

import pytest

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.storage import Folder, Store, StoredWorkflow, WorkflowFilter, WorkflowOrder
from jackfield.api.workflows import Document

NOTED: Document = {
    "nodes": [
        {"name": "Fetch orders", "type": "n8n-nodes-base.httpRequest", "parameters": {"url": "https://secret.example"}},
        {"name": "Note", "type": "jackfield.stickyNote", "parameters": {"content": "Ask Zoë"}},
        {"name": "Set", "type": "jackfield.set", "notes": "Once a DAY"},
    ]
}


def folder(id: str, parent: str | None = None, *, name: str = "") -> Folder:
    return Folder(id, name or id, parent, 1, 1)


async def fill(store: Store, *folders: Folder) -> None:
    for each in folders:
        await store.put_folder(each)


async def held(store: Store) -> dict[str, tuple[str | None, int]]:
    return {each.name: (each.parent_id, each.workflows) for each in await store.folders()}


def workflow(id: str, name: str, document: Document, at: int = 1) -> StoredWorkflow:
    return StoredWorkflow(id, name, False, 1, document, at, at)


async def found(store: Store, where: WorkflowFilter) -> list[str]:
    page = await store.workflows(where, offset=0, limit=10)
    assert page.total == len(page.rows)
    return [row.id for row in page.rows]


class StoreFoldersContract:
    """Folders: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_folders_hold_workflows_and_folders(self, store: Store) -> None:
        await fill(store, folder("b"), folder("A"), folder("in", "A"))
        await store.add_workflow(workflow("w", "W", {}), [], None)
        assert await store.move_workflow("w", "in")
        assert [each.name for each in await store.folders()] == ["A", "b", "in"]
        assert await held(store) == {"A": (None, 0), "b": (None, 0), "in": ("A", 1)}
        assert (
            await found(store, WorkflowFilter(folder="in")),
            await found(store, WorkflowFilter(folder="")),
            await found(store, WorkflowFilter()),
        ) == (
            ["w"],
            [],
            ["w"],
        )
        present = await store.change_workflow("w", {}, "W2", [], now=2, author=None)
        row = await store.workflow_row("w")
        assert present is not None
        assert row is not None
        assert (present.folder_id, row.folder_id) == ("in", "in")
        assert await store.move_workflow("w", None)
        assert await found(store, WorkflowFilter(folder="")) == ["w"]

    async def test_a_folder_is_renamed_and_moved(self, store: Store) -> None:
        await fill(store, folder("a"), folder("b"), folder("b", "a", name="New"))
        assert await held(store) == {"a": (None, 0), "New": ("a", 0)}

    async def test_what_a_deleted_folder_holds_moves_up(self, store: Store) -> None:
        await fill(store, folder("top"), folder("mid", "top"), folder("low", "mid", name="mid"))
        await store.add_workflow(workflow("w", "W", {}), [], None)
        await store.move_workflow("w", "mid")
        assert await store.delete_folder("mid")
        assert await held(store) == {"mid": ("top", 0), "top": (None, 1)}
        assert not await store.delete_folder("mid")
        assert await store.delete_folder("top")
        assert await found(store, WorkflowFilter(folder="")) == ["w"]

    async def test_a_name_stands_once_at_a_place(self, store: Store) -> None:
        await fill(store, folder("a"), folder("in", "a"), folder("other", "in", name="A"))
        with pytest.raises(Conflict):
            await store.put_folder(folder("b", name="A"))
        await store.put_folder(folder("b", "a", name="A"))
        with pytest.raises(Conflict):
            await store.delete_folder("in")
        assert (await held(store))["in"] == ("a", 0)

    async def test_unknown_places_are_refused(self, store: Store) -> None:
        await store.add_workflow(workflow("w", "W", {}), [], None)
        with pytest.raises(NotFound):
            await store.put_folder(folder("a", "gone"))
        with pytest.raises(NotFound):
            await store.move_workflow("w", "gone")
        await fill(store, folder("a"))
        assert not await store.move_workflow("x", "a")

    @pytest.mark.parametrize(
        ("words", "ids"),
        [
            ("FETCH", ["noted"]),
            ("httprequest", ["noted"]),
            ("zoË", ["noted"]),
            ("once a day", ["noted"]),
            ("straße", ["other"]),
            ("tägl", ["other"]),
            ("secret.example", []),
            ("n8n-nodes", []),
            ("e", ["noted", "other"]),
        ],
    )
    async def test_workflows_are_found_by_name_tags_nodes_and_notes(
        self, store: Store, words: str, ids: list[str]
    ) -> None:
        await store.add_workflow(workflow("noted", "First", NOTED), [], None)
        await store.add_workflow(workflow("other", "STRASSE", {}), [], None, tags=["TÄGLICH"])
        assert sorted(await found(store, WorkflowFilter(words=words))) == ids

    async def test_a_new_version_is_found_by_its_own_words(self, store: Store) -> None:
        await store.add_workflow(workflow("w", "W", NOTED), [], None)
        await store.change_workflow("w", {"nodes": [{"name": "Later"}]}, "W", [], now=2, author=None)
        assert (
            await found(store, WorkflowFilter(words="fetch")),
            await found(store, WorkflowFilter(words="later")),
        ) == ([], ["w"])

    @pytest.mark.parametrize(
        ("order", "ids"),
        [
            ("name", ["a", "b", "c"]),
            ("-name", ["c", "b", "a"]),
            ("createdAt", ["c", "a", "b"]),
            ("-createdAt", ["b", "a", "c"]),
            ("updatedAt", ["a", "b", "c"]),
            ("-updatedAt", ["c", "b", "a"]),
            ("nodeCount", ["a", "c", "b"]),
            ("-nodeCount", ["b", "c", "a"]),
        ],
    )
    async def test_workflows_are_sorted(self, store: Store, order: WorkflowOrder, ids: list[str]) -> None:
        await store.add_workflow(workflow("a", "alpha", {}, at=2), [], None)
        await store.add_workflow(workflow("b", "Beta", NOTED, at=3), [], None)
        await store.add_workflow(workflow("c", "gamma", {}, at=1), [], None)
        await store.set_active("c", False, [], now=9)
        assert await found(store, WorkflowFilter(order=order)) == ids
