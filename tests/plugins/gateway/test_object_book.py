"""What is remembered of stored objects, and how much."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from jackfield.api.gateway import StoredObject
from jackfield_gateway.kept import objects
from jackfield_gateway.kept.database import OBJECTS, TABLES, VERSION, GatewayDatabase
from jackfield_gateway.kept.objects import HeldObject


def held(holder: str, name: str, account: str = "acc") -> HeldObject:
    return HeldObject(holder, StoredObject(name, "work", "openai", account))


def test_whoever_was_first_has_it() -> None:
    database = sqlite3.connect(":memory:")
    for statement in OBJECTS.split(";"):
        database.execute(statement)
    for one in (held("a", "x"), held("b", "x"), held("b", "x", "another")):
        objects.put(database, [one], 10, 100)
    assert objects.find(database, ["x", "y"]) == [held("a", "x"), held("b", "x", "another")]


def test_a_key_that_makes_many_pushes_out_its_own_and_all_together_are_bounded() -> None:
    database = sqlite3.connect(":memory:")
    for statement in OBJECTS.split(";"):
        database.execute(statement)
    objects.put(database, [held("small", "kept")], 5, 1000)
    for number in range(300):
        objects.put(database, [held("large", f"x{number}")], 5, 1000)
    assert [one.object.id for one in objects.find(database, ["kept", "x294", "x295", "x299"])] == [
        "kept",
        "x295",
        "x299",
    ]
    for number in range(300):
        objects.put(database, [held(f"key{number}", f"y{number}")], 5, 100)
    assert database.execute("SELECT count(*) FROM objects").fetchone()[0] < 170


def test_answers_push_out_answers_and_no_files() -> None:
    database = sqlite3.connect(":memory:")
    for statement in OBJECTS.split(";"):
        database.execute(statement)
    objects.put(database, [held("a", "file")], 5, 10)
    for number in range(500):
        objects.put(
            database, [HeldObject("a", StoredObject(f"resp{number}", "work", "openai", "acc", "answer"))], 5, 10
        )
    assert len(objects.find(database, ["file", *(f"resp{number}" for number in range(500))])) == 6


def test_a_database_of_the_version_before_gets_the_table(tmp_path: Path) -> None:
    path = tmp_path / "gateway" / "keys.db"
    path.parent.mkdir(mode=0o700)
    with sqlite3.connect(path) as before:
        before.executescript(f"{TABLES} PRAGMA application_id = {0x4A464757}; PRAGMA user_version = 1")
    before.close()
    database = GatewayDatabase(path)
    database.write([lambda connection: objects.put(connection, [held("a", "x")], 5, 100)])
    assert database.read(lambda connection: objects.find(connection, ["x"])) == [held("a", "x")]
    assert database.read(lambda connection: connection.execute("PRAGMA user_version").fetchone()) == (VERSION,)
    database.close()
