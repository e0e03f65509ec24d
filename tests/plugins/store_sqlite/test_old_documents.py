"""Documents of before secrets were sealed: found, replaced, and gone from the files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from jackfield.api.old_documents import OldDocument, OldDocuments
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]
PLANTED = "planted-8e2f"
LONG = PLANTED + "x" * 40_000


def old_database(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two versions of a workflow and a run, as an earlier schema has them."""
    before = next(number for number, step in enumerate(MIGRATIONS) if "unsealed_versions" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        connection.execute("INSERT INTO workflows VALUES ('w', 'W', 'w', 0, 2, 0, 1, 1)")
        for version, secret in ((1, PLANTED), (2, LONG)):
            row = ("w", version, "W", 1, None, orjson.dumps({"nodes": [], "secret": secret}))
            connection.execute("INSERT INTO workflow_versions VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO execution_documents VALUES (7, ?)", (orjson.dumps({"secret": PLANTED}),))


async def test_they_are_replaced_once_and_wiped(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database, monkeypatch)
    store = new_store()
    assert isinstance(store, OldDocuments)
    await store.open()
    found = await store.old_documents(10)
    assert {each.key for each in found} == {("w", 1), ("w", 2), ("", 7)}
    assert [len(await store.old_documents(limit)) for limit in (1, 2)] == [1, 2]
    await store.put_old_documents([OldDocument(each.key, {"sealed": list(each.key)}) for each in found[:2]])
    await store.close()
    store = new_store()
    await store.open()
    rest = await store.old_documents(10)
    assert len(rest) == 1
    await store.put_old_documents([OldDocument(rest[0].key, {"sealed": list(rest[0].key)})])
    assert await store.old_documents(10) == []
    await store.wipe()
    for version in (1, 2):
        kept = await store.workflow_version("w", version)
        assert kept is not None
        assert kept.document == {"sealed": ["w", version]}
    files = list(database.parent.glob(f"{database.name}*"))
    assert [file.name for file in files if PLANTED.encode() in file.read_bytes()] == []


async def test_one_that_cannot_be_read_keeps_no_other_back(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    old_database(database, monkeypatch)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE workflow_versions SET document = x'7b22' WHERE version = 1")
    store = new_store()
    await store.open()
    assert {each.key for each in await store.old_documents(10)} == {("w", 2), ("", 7)}
    assert "document w 1 cannot be read" in caplog.text
    assert {each.key for each in await store.old_documents(1)} < {("w", 2), ("", 7)}


async def test_what_was_deleted_meanwhile_stays_gone(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database, monkeypatch)
    store = new_store()
    await store.open()
    found = await store.old_documents(10)
    assert await store.delete_workflow("w")
    assert [each.key for each in await store.old_documents(10)] == [("", 7)]
    await store.put_old_documents(found)
    assert await store.workflow_version("w", 1) is None
    assert await store.old_documents(10) == []
