"""The time that workflows save: a document is read once for each version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import DataDamaged
from jackfield.api.storage import StoredWorkflow, WorkflowRow
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_insights.saving import SavedTime, minutes_of
from jackfield_insights.settings import InsightsSettings


class CountingStore(MemoryStore):
    """It notes which documents are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.damaged: set[str] = set()
        self.whole = True

    async def workflow_row(self, workflow_id: str) -> WorkflowRow | None:
        """The store in memory makes it of the document, which is no reading here."""
        self.whole = False
        row = await super().workflow_row(workflow_id)
        self.whole = True
        return row

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None:
        if not self.whole:
            return await super().workflow(workflow_id)
        self.read.append(workflow_id)
        if workflow_id in self.damaged:
            raise DataDamaged
        return await super().workflow(workflow_id)


def stored(ident: str, minutes: object, created_at: int = 0) -> StoredWorkflow:
    document: dict[str, Any] = {"nodes": [], "settings": {"timeSavedPerExecution": minutes}}
    return StoredWorkflow(ident, ident, False, 1, document, created_at, created_at, (), None)


async def test_a_document_is_read_once_for_each_version_and_of_too_many_the_longest_unused_is_forgotten(
    tmp_path: Path,
) -> None:
    store = CountingStore()
    context = FakeContext(
        tmp_path, "insights", tables=[InsightsSettings(remembered_workflows=2)], ports={"Store": store}
    )
    for ident in ("a", "b", "c"):
        await store.add_workflow(stored(ident, 5), (), "ada")
    saved = SavedTime(context)
    assert await saved.minutes(["a", "b", "", "gone"]) == {"a": 5.0, "b": 5.0}
    assert await saved.minutes(["a", "b"]) == {"a": 5.0, "b": 5.0}
    assert sorted(store.read) == ["a", "b"]
    changed = dict(stored("a", 7).document)
    await store.change_workflow("a", changed, "a", (), now=1, author="ada", expected_version=1)
    assert await saved.minutes(["a"]) == {"a": 7.0}
    assert await saved.minutes(["c"]) == {"c": 5.0}
    store.read.clear()
    assert await saved.minutes(["c", "a"]) == {"a": 7.0, "c": 5.0}
    assert store.read == []
    store.damaged.add("b")
    assert await saved.minutes(["b"]) == {}
    assert store.read == ["b"]


async def test_a_deleted_workflow_that_is_imported_again_is_read_again(tmp_path: Path) -> None:
    store = MemoryStore()
    saved = SavedTime(FakeContext(tmp_path, "insights", tables=[InsightsSettings()], ports={"Store": store}))
    await store.add_workflow(stored("a", 5), (), "ada")
    assert await saved.minutes(["a"]) == {"a": 5.0}
    await store.delete_workflow("a")
    await store.add_workflow(stored("a", 9, created_at=1), (), "ada")
    assert await saved.minutes(["a"]) == {"a": 9.0}


@pytest.mark.parametrize("given", [None, True, "5", -1, float("nan"), float("inf")])
def test_other_values_save_nothing(given: object) -> None:
    assert minutes_of(stored("a", given).document) == 0.0
    assert minutes_of({"settings": "none"}) == 0.0
