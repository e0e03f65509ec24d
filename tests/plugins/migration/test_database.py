"""n8n's SQLite database, of tables that n8n 2 has, and what somebody may give in place of it."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from n8n_documents import MAIN, SUB, main_workflow, sub_workflow
from test_cipher import KEY, SEALED

from jackfield_migration.bundle import Bundle
from jackfield_migration.places import folder_of
from jackfield_migration.reading.cipher import N8nCipher
from jackfield_migration.reading.files import BundleReader

TABLES = """
CREATE TABLE {0}workflow_entity (id TEXT, name TEXT, active INTEGER, nodes TEXT, connections TEXT, settings TEXT,
    staticData TEXT, pinData TEXT, versionId TEXT, activeVersionId TEXT, isArchived INTEGER, parentFolderId TEXT);
CREATE TABLE {0}workflow_history (versionId TEXT, workflowId TEXT, nodes TEXT, connections TEXT);
CREATE TABLE {0}credentials_entity (id TEXT, name TEXT, type TEXT, data TEXT);
CREATE TABLE {0}tag_entity (id TEXT, name TEXT);
CREATE TABLE {0}workflows_tags (workflowId TEXT, tagId TEXT);
CREATE TABLE {0}project (id TEXT, name TEXT, type TEXT);
CREATE TABLE {0}folder (id TEXT, name TEXT, parentFolderId TEXT);
CREATE TABLE {0}shared_workflow (workflowId TEXT, projectId TEXT, role TEXT);
"""


@pytest.fixture(params=["", "prefix_"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file, prefix = tmp_path / "database.sqlite", request.param
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(TABLES.format(prefix))
        for document, live in ((main_workflow(), "v1"), (sub_workflow(), None)):
            row = (
                document["id"], document["name"], int(document["active"]), json.dumps(document["nodes"]),
                json.dumps(document["connections"]), json.dumps(document["settings"]), '{"global": {"n": 1}}', None,
                "v2", live, 0, "inner" if live else None,
            )  # fmt: skip
            connection.execute(f"INSERT INTO {prefix}workflow_entity VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)
        published = json.dumps(main_workflow()["nodes"][:1])
        connection.execute(f"INSERT INTO {prefix}workflow_history VALUES ('v1', ?, ?, '{{}}')", (MAIN, published))
        connection.execute(f"INSERT INTO {prefix}workflow_history VALUES ('v0', ?, 'old', 'old')", (MAIN,))
        row = ("c1", "Basic", "httpBasicAuth", SEALED)
        connection.execute(f"INSERT INTO {prefix}credentials_entity VALUES (?,?,?,?)", row)
        connection.execute(f"INSERT INTO {prefix}tag_entity VALUES ('t', 'customers')")
        connection.execute(f"INSERT INTO {prefix}workflows_tags VALUES (?, 't')", (MAIN,))
        connection.execute(f"INSERT INTO {prefix}project VALUES ('p', 'P', 'team'), ('q', 'Q', 'personal')")
        connection.execute(f"INSERT INTO {prefix}folder VALUES ('inner', '2024', 'f'), ('f', 'Sales', NULL)")
        owners = ((MAIN, "p", "workflow:owner"), (SUB, "p", "workflow:editor"), (SUB, "q", "workflow:owner"))
        connection.executemany(f"INSERT INTO {prefix}shared_workflow VALUES (?,?,?)", owners)
        connection.commit()
    return file


def read(path: Path, key: str = KEY) -> BundleReader:
    reading = BundleReader(Bundle(), N8nCipher([key]), 1 << 20)
    reading.path(path)
    return reading


def test_everything_of_it(database: Path) -> None:
    before = {file.name: file.read_bytes() for file in database.parent.iterdir()}
    bundle = read(database).bundle
    found = {source.document["id"]: source for source in bundle.workflows}
    assert set(found) == {MAIN, SUB}
    assert found[MAIN].document["nodes"] == main_workflow()["nodes"][:1]
    assert "draft differs" in found[MAIN].remark
    assert [tag["name"] for tag in found[MAIN].document["tags"]] == ["customers"]
    assert folder_of(found[MAIN].document) == ("P", "Sales", "2024")
    assert "tags" not in found[SUB].document
    assert (found[SUB].document["nodes"], found[SUB].remark) == (sub_workflow()["nodes"], "")
    assert found[SUB].document["staticData"] == {"global": {"n": 1}}
    assert [source.document["name"] for source in bundle.credentials] == ["Basic"]
    assert (bundle.left, bundle.unreadable) == ({"project": 1}, [])
    assert {file.name: file.read_bytes() for file in database.parent.iterdir()} == before


def test_what_only_the_log_beside_it_holds(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%workflow_entity'").fetchone()
        connection.execute(f"UPDATE {table} SET name = 'Late' WHERE id = ?", (SUB,))
        connection.commit()
        for file in database.parent.glob("database.sqlite*"):
            (copy / file.name).write_bytes(file.read_bytes())
    names = {source.document["name"] for source in read(copy / "database.sqlite").bundle.workflows}
    assert "Late" in names


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_part_of_it(database: Path, share: float) -> None:
    content = database.read_bytes()
    database.write_bytes(content[: int(len(content) * share)])
    bundle = read(database).bundle
    assert bundle.unreadable
    assert all(not isinstance(source.document["nodes"], str) for source in bundle.workflows)


def test_one_row_that_is_damaged(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%workflow_entity'").fetchone()
        connection.execute(f"UPDATE {table} SET nodes = '[{{' WHERE id = ?", (SUB,))
        connection.commit()
    bundle = read(database).bundle
    assert [source.document["id"] for source in bundle.workflows] == [MAIN]
    assert ["nodes holds no JSON" in each.reason for each in bundle.unreadable] == [True]


def test_other_databases_and_other_versions(tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE things (id TEXT)")
    assert "not n8n's" in read(file).bundle.unreadable[0].reason
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE workflow_entity (id TEXT, name TEXT, graph TEXT)")
    assert "this version of n8n is not known" in read(file).bundle.unreadable[0].reason


@pytest.mark.parametrize("content", [b"", b"\x00" * 40, b"PK\x03\x04 no archive", b"[1", b"\xff\xfe"])
def test_what_is_nothing_of_n8n(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(content)
    bundle = read(file).bundle
    assert (len(bundle.unreadable), bundle.size()) == (1, 0)


@pytest.mark.parametrize(
    ("name", "spoilt"),
    [
        ("half.json", lambda whole: whole[: len(whole) // 2]), ("empty.ZIP", lambda whole: b""),
        ("text.zip", lambda whole: b"no archive"), ("other.zip", lambda whole: whole[:60] + b"\0\0\0\0" + whole[64:]),
    ],
)  # fmt: skip
def test_a_broken_archive_is_told_as_one(tmp_path: Path, name: str, spoilt: Callable[[bytes], bytes]) -> None:
    file = tmp_path / name
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("workflowentity.jsonl", SEALED * 50)
    file.write_bytes(spoilt(file.read_bytes()))
    (told,) = read(file).bundle.unreadable
    assert "no whole zip file" in told.reason
