"""Tags that stood in documents alone become tags of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from jackfield.api.ids import is_uuid
from jackfield.api.storage import WorkflowFilter
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

DOCUMENTS = {
    "w1": {"tags": ["a", {"id": "1", "name": " b "}, {"name": 7}, 5, None, "", {"id": "2"}]},
    "w2": {"tags": [{"name": "b"}]},
    "w3": {"tags": "a"},
    "w4": {},
}


def old_database(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "CREATE TABLE tags" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        for workflow_id, document in DOCUMENTS.items():
            connection.execute("INSERT INTO workflows VALUES (?, 'W', 'w', 0, 2, 0, 9, 9)", (workflow_id,))
            for version, kept in ((1, {"tags": ["old"]}), (2, document)):
                row = (workflow_id, version, "W", 1, None, orjson.dumps({"nodes": [], **kept}), None)
                connection.execute("INSERT INTO workflow_versions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("UPDATE workflow_versions SET document = x'7b' WHERE workflow_id = 'w4'")


async def test_tags_of_documents_are_kept(
    new_store: Callable[..., SqliteStore], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database, monkeypatch)
    store = new_store()
    await store.open()
    tags = (await store.tags(offset=0, limit=9)).rows
    assert [(tag.name, tag.created_at, is_uuid(tag.id)) for tag in tags] == [("a", 9, True), ("b", 9, True)]
    rows = (await store.workflows(WorkflowFilter(), offset=0, limit=9)).rows
    assert {row.id: [tag.name for tag in row.tags] for row in rows} == {
        "w1": ["a", "b"],
        "w2": ["b"],
        "w3": ["a"],
        "w4": [],
    }
