"""Workflows from before there were folders and words are found in lists, whatever their documents hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from jackfield.api.storage import WorkflowFilter
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

NODE = {"name": "Ask Zoë", "type": "n8n-nodes-base.httpRequest", "notes": 5, "parameters": {"url": "hidden"}}
DOCUMENTS: dict[str, bytes | None] = {
    "good": orjson.dumps({"nodes": [NODE, 5, {"name": None}]}),
    "odd": orjson.dumps({"nodes": {"a": NODE}}),
    "list": b"[]",
    "damaged": b"{",
    "lost": None,
}


def old_database(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "CREATE TABLE folders" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        connection.execute("INSERT INTO tags VALUES ('t', 'STRAẞE', 1, 1)")
        for workflow_id, document in DOCUMENTS.items():
            connection.execute("INSERT INTO workflows VALUES (?, 'W', 'w', 0, 1, 0, 9, 9)", (workflow_id,))
            connection.execute("INSERT INTO workflow_tags VALUES (?, 't')", (workflow_id,))
            if document is not None:
                row = (workflow_id, document)
                connection.execute("INSERT INTO workflow_versions VALUES (?, 1, 'W', 1, NULL, ?, NULL)", row)


async def test_old_workflows_are_found(
    new_store: Callable[..., SqliteStore], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database, monkeypatch)
    store = new_store()
    await store.open()

    async def found(words: str) -> list[str]:
        rows = (await store.workflows(WorkflowFilter(words=words), offset=0, limit=9)).rows
        return sorted(row.id for row in rows if row.folder_id is None)

    assert await found("zoË") == await found("httpREQ") == ["good"]
    assert await found("strasse") == sorted(DOCUMENTS)
    assert await found("hidden") == []
    assert [row.label for row in (await store.versions("good", 0, 9)).rows] == [""]
