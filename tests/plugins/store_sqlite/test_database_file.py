"""The file: where it is, who may read it, which versions are accepted, what a second process sees."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.storage import ExecutionFilter, NewExecution, User
from jackfield.testing.context import FakeContext
from jackfield_store_sqlite import SqliteStorePlugin
from jackfield_store_sqlite.connections import connect_reader, connect_writer
from jackfield_store_sqlite.schema import APPLICATION_ID, MIGRATIONS, migrate
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore, sqlite_store

NewStore = Callable[..., SqliteStore]
ADA = User("u-1", "ada", "admin", "hash", 1, 1000)


async def test_the_hooks_give_the_settings_and_the_store(tmp_path: Path) -> None:
    (table,) = SqliteStorePlugin.settings
    assert (table.path, table.model) == ("store.sqlite", SqliteSettings)
    store = sqlite_store(FakeContext(tmp_path, tables=[SqliteSettings(file="other.db")]))  # type: ignore[arg-type]
    await store.open()
    await store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db", "other.db-reach"]


def test_every_setting_is_described() -> None:
    for name, field in SqliteSettings.model_fields.items():
        assert len(field.description or "") > 20, name
    assert SqliteSettings.model_validate({"busy_timeout": 7}).busy_timeout == 7


async def test_what_was_written_is_there_after_a_restart(new_store: NewStore) -> None:
    first = new_store()
    await first.open()
    await first.add_user(ADA)
    unawaited = first.add_execution(NewExecution("e", None, 1, "manual", "queued", 1, b"{}"))
    await first.close()
    assert unawaited.done()
    second = new_store()
    await second.open()
    assert await second.users() == [ADA]
    assert await second.execution("e") is not None


@pytest.mark.parametrize("mask", [0, 0o077, 0o777])
async def test_only_the_owner_reads_the_files(new_store: NewStore, tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        store = new_store()
        await store.open()
        await store.add_user(ADA)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys((f"jackfield.db{end}" for end in ("", "-wal", "-shm", "-reach")), 0o600)


async def test_a_file_that_others_could_read_is_narrowed(new_store: NewStore, database: Path) -> None:
    database.touch(0o666)
    database.chmod(0o666)
    await new_store().open()
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_the_connection_is_durable(new_store: NewStore, database: Path) -> None:
    database.touch()
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 500}
    with closing(connect_writer(database, SqliteSettings())) as connection:
        assert {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas} == pragmas


async def test_a_reading_connection_cannot_write(store: SqliteStore, database: Path) -> None:
    with closing(connect_reader(database, SqliteSettings())) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM users")


async def test_an_old_sqlite_is_refused(new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 37, 2))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.37.2")
    with pytest.raises(ConfigurationError, match=r"SQLite 3\.37\.2 is too old; .* 3\.38 or newer"):
        await new_store().open()
    assert not database.exists()


async def test_a_newer_schema_is_refused(new_store: NewStore, database: Path) -> None:
    store = new_store()
    await store.open()
    await store.close()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    content = database.read_bytes()
    with pytest.raises(ConfigurationError, match="newer") as refusal:
        await new_store().open()
    assert str(database) in refusal.value.message
    assert database.read_bytes() == content


async def test_a_database_of_another_program_is_refused(new_store: NewStore, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    with pytest.raises(ConfigurationError, match="another program"):
        await new_store().open()
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


async def test_an_interrupted_migration_leaves_nothing(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, ("CREATE TABLE half (a)", "this is no SQL"))
    monkeypatch.setattr("jackfield_store_sqlite.schema.MIGRATIONS", broken)
    with pytest.raises(ConfigurationError):
        await new_store().open()
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


async def test_users_of_a_database_before_other_logins_stay_as_they_were(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "users ADD COLUMN provider" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        migrate(connection, database)
        connection.execute("INSERT INTO users VALUES ('u-1', 'ada', 'admin', 'hash', 1, 1000)")
    store = new_store()
    await store.open()
    assert await store.users() == [ADA]
    assert await store.user_by_identity("", "") is None


async def test_a_database_is_brought_up_to_date(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = new_store()
    await first.open()
    await first.add_user(ADA)
    await first.close()
    monkeypatch.setattr("jackfield_store_sqlite.schema.MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE added (a)",)))
    second = new_store()
    await second.open()
    assert await second.users() == [ADA]
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("SELECT count(*) FROM added").fetchone() == (0,)


async def test_two_stores_share_a_file(new_store: NewStore) -> None:
    """The command line beside a running daemon."""
    first, second = new_store(timeout=5), new_store(timeout=5)
    await first.open()
    await second.open()
    await asyncio.gather(
        *(
            each.add_execution(NewExecution(f"{n}-{m}", None, 1, "manual", "queued", n, b"%d" % n))
            for n in range(100)
            for m, each in enumerate((first, second))
        )
    )
    for each in (first, second):
        assert (await each.execution_stats(ExecutionFilter())) == {"queued": 200}
        found = await each.execution("57-1")
        assert found is not None
        assert found.input == b"57"


async def test_a_missing_directory_is_a_configuration_error(new_store: NewStore, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"store\.sqlite\.file"):
        await new_store(tmp_path / "nowhere").open()


async def test_a_closed_store_refuses(store: SqliteStore) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.users()
    with pytest.raises(StoreUnavailable):
        await store.add_user(ADA)
    with pytest.raises(StoreUnavailable):
        await store.check()


async def test_the_log_does_not_grow_without_end(new_store: NewStore, tmp_path: Path) -> None:
    store = new_store(timeout=30, checkpoint_pages=100)
    await store.open()
    body = bytes(50_000)
    for n in range(100):
        await store.add_execution(NewExecution(f"e{n}", None, 1, "manual", "queued", n, body))
    assert (tmp_path / "jackfield.db-wal").stat().st_size < 2_000_000


async def test_one_daemon_claims_a_file_and_commands_do_not(new_store: NewStore) -> None:
    daemon, other, command = new_store(), new_store(), new_store()
    daemon.claim()
    await daemon.open()
    with pytest.raises(ConfigurationError, match="Another daemon already uses the database"):
        other.claim()
    await command.open()
    await command.add_user(ADA)
    await command.close()
    assert await daemon.users() == [ADA]
    with pytest.raises(ConfigurationError, match="Another daemon"):
        other.claim()
    await daemon.close()
    other.claim()
    await other.open()
    assert await other.users() == [ADA]
    await other.close()
