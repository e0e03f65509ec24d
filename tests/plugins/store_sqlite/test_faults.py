"""Real faults: every waiting operation ends in time with `StoreUnavailable`, nothing is half done, and the store goes
on by itself once the cause is gone."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.storage import ExecutionFilter, NewExecution, User
from jackfield_store_sqlite import database as module
from jackfield_store_sqlite.connections import connect_writer
from jackfield_store_sqlite.rows import Value
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]
ADA = User("u-1", "ada", "admin", "hash", 1, 1000)


def execution(execution_id: str, size: int = 10) -> NewExecution:
    return NewExecution(execution_id, None, 1, "manual", "queued", 1, bytes(size))


async def stored(store: SqliteStore) -> set[str]:
    page = await store.executions(ExecutionFilter(), offset=0, limit=100_000)
    return {row.id for row in page.rows}


@contextmanager
def lock(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield connection
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def mounted(place: Path, size: str) -> Iterator[Path]:
    """A small file system in memory; skips where mounting is not permitted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not permitted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# A lock


async def test_a_locked_database_refuses_in_time_and_does_nothing(store: SqliteStore, database: Path) -> None:
    with lock(database):
        started = time.monotonic()
        results = await asyncio.gather(
            store.add_user(ADA),
            store.add_execution(execution("e")),
            store.count_calls("h", 1, 1),
            store.check(),
            return_exceptions=True,
        )
        assert 0.4 < time.monotonic() - started < 1.5
        assert [type(result) for result in results] == [StoreUnavailable] * 4
        assert "locked by another process" in str(results[0])
        assert "nothing was changed" in str(results[0])
        assert await store.users() == []
    await store.check()
    assert await store.users() == []
    assert await stored(store) == set()
    assert (await store.webhook_stats("h")).total_calls == 0


async def test_a_short_lock_is_waited_for(new_store: NewStore, database: Path) -> None:
    store = new_store(timeout=20)
    await store.open()
    with lock(database) as other:
        waiting = asyncio.ensure_future(store.add_user(ADA))
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        await waiting
    assert await store.users() == [ADA]


async def test_reads_go_on_while_writes_wait(store: SqliteStore, database: Path) -> None:
    await store.add_user(ADA)
    with lock(database):
        waiting = store.add_execution(execution("e"))
        assert await store.users() == [ADA]
        with pytest.raises(StoreUnavailable):
            await waiting


async def test_a_full_queue_refuses_at_once(new_store: NewStore, database: Path) -> None:
    store = new_store(queue_size=3, timeout=20)
    await store.open()
    with lock(database):
        waiting = [store.add_execution(execution(f"e{n}")) for n in range(3)]
        refused = store.add_execution(execution("e3"))
        assert isinstance(refused.exception(), StoreUnavailable)
        with pytest.raises(StoreUnavailable):
            await store.add_user(ADA)
    await asyncio.gather(*waiting)
    await store.add_execution(execution("e4"))
    assert await stored(store) == {"e0", "e1", "e2", "e4"}


async def test_the_queue_is_bounded_in_bytes(new_store: NewStore, database: Path) -> None:
    store = new_store(queue_bytes=1_048_576, timeout=20)
    await store.open()
    with lock(database):
        waiting = store.add_execution(execution("large", 2_000_000))
        assert isinstance(store.add_execution(execution("small")).exception(), StoreUnavailable)
    await waiting
    await store.add_execution(execution("small"))
    assert await stored(store) == {"large", "small"}


async def test_closing_under_a_lock_ends_in_time(store: SqliteStore, database: Path) -> None:
    with lock(database):
        waiting = store.add_execution(execution("e"))
        async with asyncio.timeout(5):
            await store.close()
    assert isinstance(waiting.exception(), StoreUnavailable)


async def test_opening_under_a_lock_works_on_an_existing_database(new_store: NewStore, database: Path) -> None:
    first = new_store()
    await first.open()
    with lock(database):
        second = new_store()
        await second.open()
        assert await second.users() == []


# A full disk


async def test_a_full_disk_refuses_and_recovers(new_store: NewStore, tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "3m") as place:
        store = new_store(place, timeout=5)
        await store.open()
        filler = place / "filler"
        filler.write_bytes(bytes(1_000_000))
        kept, refused = await fill(store, "first")
        assert kept
        assert len(refused) > 1
        assert "full" in refused[-1].message
        assert await stored(store) == kept
        with pytest.raises(StoreUnavailable):
            await store.add_execution(execution("larger", 2_000_000))
        filler.unlink()
        await store.check()
        await store.add_execution(execution("after"))
        assert await stored(store) == kept | {"after"}
        await store.close()


async def test_a_full_database_refuses_and_recovers(
    new_store: NewStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connections: list[sqlite3.Connection] = []
    pages = 120

    def connect(file: Path, settings: SqliteSettings) -> sqlite3.Connection:
        connection = connect_writer(file, settings)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        connections.append(connection)
        return connection

    monkeypatch.setattr(module, "connect_writer", connect)
    store = new_store()
    await store.open()
    kept, refused = await fill(store, "e")
    assert "full" in refused[-1].message
    assert await stored(store) == kept
    pages = 1_000_000
    connections[-1].close()
    await store.check()
    await store.add_execution(execution("after"))
    assert await stored(store) == kept | {"after"}


async def fill(store: SqliteStore, name: str) -> tuple[set[str], list[StoreUnavailable]]:
    kept: set[str] = set()
    refused: list[StoreUnavailable] = []
    for n in range(500):
        ids = [f"{name}-{n}-{m}" for m in range(3)]
        results = await asyncio.gather(
            *(store.add_execution(execution(each, 20_000)) for each in ids), return_exceptions=True
        )
        kept |= {each for each, result in zip(ids, results, strict=True) if result is None}
        refused += [result for result in results if isinstance(result, StoreUnavailable)]
        if refused:
            break
    return kept, refused


# A failing disk


class Faulty(sqlite3.Connection):
    """Fails or waits on demand, at statements that begin with a word."""

    fail_at: str | None = None
    wait_at: str | None = None
    reached = threading.Event()
    go_on = threading.Event()

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> sqlite3.Cursor:  # type: ignore[override]
        if Faulty.wait_at and sql.startswith(Faulty.wait_at):
            Faulty.reached.set()
            Faulty.go_on.wait(20)
        if Faulty.fail_at and sql.startswith(Faulty.fail_at):
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR | 10 << 8
            raise error
        return super().execute(sql, values)


@pytest.fixture
async def faulty(new_store: NewStore, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    monkeypatch.setattr(Faulty, "fail_at", None)
    monkeypatch.setattr(Faulty, "wait_at", None)
    monkeypatch.setattr(Faulty, "reached", threading.Event())
    monkeypatch.setattr(Faulty, "go_on", threading.Event())
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **kwargs: connect(*args, factory=Faulty, **kwargs))
    store = new_store()
    await store.open()
    return store


@pytest.mark.parametrize("statement", ["BEGIN", "COMMIT", "PRAGMA journal_mode"])
async def test_an_io_error_refuses_and_recovers(faulty: SqliteStore, statement: str) -> None:
    if statement.startswith("PRAGMA"):
        Faulty.fail_at = "BEGIN"
        with pytest.raises(StoreUnavailable):
            await faulty.check()
    Faulty.fail_at = statement
    results = await asyncio.gather(
        faulty.add_user(ADA), faulty.add_execution(execution("e")), faulty.check(), return_exceptions=True
    )
    assert [type(result) for result in results] == [StoreUnavailable] * 3
    assert "disk" in str(results[0])
    Faulty.fail_at = None
    await faulty.check()
    assert await faulty.users() == []
    assert await stored(faulty) == set()


async def test_a_commit_that_hangs_is_reported_as_unknown(faulty: SqliteStore) -> None:
    Faulty.wait_at = "COMMIT"
    begun = faulty.add_execution(execution("begun"))
    assert await asyncio.to_thread(Faulty.reached.wait, 10)
    queued = faulty.add_execution(execution("queued"))
    with pytest.raises(StoreUnavailable, match="may or may not"):
        await begun
    with pytest.raises(StoreUnavailable, match="nothing was changed"):
        await queued
    Faulty.wait_at = None
    Faulty.go_on.set()
    await faulty.check()
    assert await stored(faulty) == {"begun"}


async def test_a_slow_commit_within_the_limit_is_a_success(faulty: SqliteStore) -> None:
    Faulty.wait_at = "COMMIT"
    begun = faulty.add_execution(execution("begun"))
    assert await asyncio.to_thread(Faulty.reached.wait, 10)
    Faulty.go_on.set()
    await begun
    assert await stored(faulty) == {"begun"}


async def test_a_read_error_refuses_and_recovers(faulty: SqliteStore) -> None:
    Faulty.fail_at = "SELECT"
    with pytest.raises(StoreUnavailable):
        await faulty.users()
    Faulty.fail_at = None
    assert await faulty.users() == []


async def test_a_read_that_takes_too_long_fails_in_time(new_store: NewStore) -> None:
    store = new_store(timeout=0.2, readers=1)
    await store.open()
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    started = time.monotonic()
    with pytest.raises(StoreUnavailable):
        await store._db.read(lambda connection: connection.execute(endless).fetchone())
    assert time.monotonic() - started < 2
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            assert await store.users() == []
            break
        except StoreUnavailable:
            continue
    else:
        pytest.fail("the reading thread was not freed")


async def test_too_many_reads_are_refused_at_once(new_store: NewStore) -> None:
    store = new_store(readers=1, read_queue_size=2, timeout=20)
    await store.open()
    gate = threading.Event()
    waiting = [asyncio.ensure_future(store._db.read(lambda _: gate.wait(20))) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await store.users()
    gate.set()
    assert await asyncio.gather(*waiting) == [True, True]
    assert await store.users() == []


async def test_an_operation_with_a_bug_fails_alone(store: SqliteStore) -> None:
    def bug(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM users")
        raise LookupError("a bug")

    results = await asyncio.gather(
        store.add_user(ADA), store._db.write(bug), store.add_execution(execution("e")), return_exceptions=True
    )
    assert [type(result) for result in results] == [type(None), LookupError, type(None)]
    assert await store.users() == [ADA]
    assert await stored(store) == {"e"}


async def test_a_cancelled_wait_does_not_stop_the_writer(store: SqliteStore) -> None:
    future = store.add_execution(execution("e"))
    future.cancel()
    await store.add_execution(execution("f"))
    assert await stored(store) == {"e", "f"}


async def test_a_start_on_a_full_disk_is_told_to_free_some(new_store: NewStore, tmp_path: Path) -> None:
    with mounted(tmp_path / "full", "1m") as place:
        with suppress(OSError), (place / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
        with pytest.raises(ConfigurationError, match="the disk is full: free some room"):
            await new_store(place).open()


# Read-only


async def test_a_read_only_directory_is_a_configuration_error(new_store: NewStore, tmp_path: Path) -> None:
    with mounted(tmp_path / "fixed", "3m") as place:
        store = new_store(place)
        await store.open()
        await store.add_user(ADA)
        await store.close()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with pytest.raises(ConfigurationError, match="cannot be opened for writing"):
            await new_store(place).open()


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
async def test_a_directory_without_permission_is_a_configuration_error(new_store: NewStore, tmp_path: Path) -> None:
    place = tmp_path / "closed"
    place.mkdir(0o500)
    with pytest.raises(ConfigurationError, match="cannot be opened for writing"):
        await new_store(place).open()


# Damage


async def filled(new_store: NewStore) -> None:
    store = new_store()
    await store.open()
    await store.add_user(ADA)
    await asyncio.gather(*(store.add_execution(execution(f"e{n}", 20_000)) for n in range(20)))
    await store.close()


def overwrite(file: Path, start: int, length: int) -> bytes:
    """Damage part of the file; the content as it was."""
    content = file.read_bytes()
    with file.open("r+b") as damaged:
        damaged.seek(start)
        damaged.write(b"\xa5" * length)
    return content


@pytest.mark.parametrize(("start", "length"), [(0, 100), (0, 8192), (8192 * 3, 8192 * 20), (100, 4000)])
async def test_a_damaged_file_is_refused_at_open(new_store: NewStore, database: Path, start: int, length: int) -> None:
    await filled(new_store)
    overwrite(database, start, length)
    with pytest.raises(ConfigurationError) as refusal:
        await new_store().open()
    assert str(database) in refusal.value.message
    assert "backup" in refusal.value.message


async def test_a_cut_file_is_refused_at_open(new_store: NewStore, database: Path) -> None:
    await filled(new_store)
    os.truncate(database, database.stat().st_size // 2)
    with pytest.raises(ConfigurationError, match="damaged"):
        await new_store().open()


async def test_a_file_that_is_no_database_is_refused(new_store: NewStore, database: Path) -> None:
    database.write_text("this is text, and long enough to have room for a header of a hundred bytes" * 3)
    with pytest.raises(ConfigurationError, match="damaged"):
        await new_store().open()


async def test_damage_met_later_refuses_until_it_is_mended(new_store: NewStore, database: Path) -> None:
    await filled(new_store)
    store = new_store(timeout=5)
    await store.open()
    content = overwrite(database, 8192, database.stat().st_size - 8192)
    with pytest.raises(StoreUnavailable, match="damaged"):
        await store.execution("e1")
    with pytest.raises(StoreUnavailable, match="damaged"):
        await store.check()
    with database.open("r+b") as mended:
        mended.write(content)
    await store.check()
    assert await store.users() == [ADA]


async def test_a_file_that_was_moved_away_fails_the_check(store: SqliteStore, database: Path) -> None:
    await store.check()
    database.rename(database.with_name("elsewhere.db"))
    with pytest.raises(StoreUnavailable, match="moved"):
        await store.check()
    database.with_name("elsewhere.db").rename(database)
    await store.check()
