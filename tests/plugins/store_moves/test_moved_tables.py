"""No table and no column is left out of a copy unless somebody has said why."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from conftest import NewPostgres, NewSqlite
from jackfield.api.store_forms import FORMS
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.moving import tables as of_postgres
from jackfield_store_sqlite.moving import tables as of_sqlite

COLUMNS = {form.name: set(form.columns) for form in FORMS}


def left_out(
    found: Mapping[str, set[str]],
    own: Iterable[str],
    parts: Mapping[str, str],
    own_columns: Mapping[str, Iterable[str]],
) -> list[str]:
    """Tables and columns that no form has, and that nobody has named. parts: tables of other forms."""
    told = []
    for table, columns in found.items():
        if table in own:
            continue
        forms = [each.partition(".")[0].strip() for each in parts.get(table, table).split(",")]
        if any(form not in COLUMNS for form in forms):
            told.append(table)
            continue
        known = set().union(*(COLUMNS[form] for form in forms), own_columns.get(table, ()))
        told += [f"{table}.{column}" for column in sorted(columns - known)]
    return told


def of_file(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {
            name: {column for (column,) in connection.execute("SELECT name FROM pragma_table_xinfo(?)", [name])}
            for name in names
        }
    return left_out(found, of_sqlite.OWN, of_sqlite.PARTS, of_sqlite.OWN_COLUMNS)


def of_schema(server: PostgresServer, schema: str) -> list[str]:
    found: dict[str, set[str]] = {}
    for table, column in server.run(
        f"SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '{schema}'"
    ):
        found.setdefault(table, set()).add(column)
    return left_out(found, of_postgres.OWN, {}, of_postgres.OWN_COLUMNS)


async def test_sqlite_is_moved_whole(sqlite: NewSqlite, tmp_path: Path) -> None:
    store = sqlite()
    await store.open()
    await store.close()
    assert of_file(tmp_path / "one.db") == []
    with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
        connection.execute("CREATE TABLE surprises (id TEXT)")
        connection.execute("ALTER TABLE users ADD COLUMN surprise TEXT")
    assert of_file(tmp_path / "one.db") == ["users.surprise", "surprises"]


async def test_postgres_is_moved_whole(postgres: NewPostgres, jackfield_postgres: PostgresServer) -> None:
    schema = jackfield_postgres.new_name()
    store = postgres(schema)
    await store.open()
    await store.close()
    assert of_schema(jackfield_postgres, schema) == []
    jackfield_postgres.run(f"CREATE TABLE {schema}.surprises (id text)")
    assert of_schema(jackfield_postgres, schema) == ["surprises"]


def test_each_form_is_written_whole() -> None:
    """What PostgreSQL gets of a form is all of it, but for what is found when it is read."""
    for form in FORMS:
        made = of_postgres.MADE_COLUMNS.get(form.name, frozenset())
        assert set(form.columns) - made <= set(of_postgres.filled(form).columns)
        assert [*form.columns][: of_postgres.filled(form).leaves_out] == sorted(made)
