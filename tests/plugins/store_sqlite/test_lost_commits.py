"""Commits that were acknowledged and are gone are told, once they are gone and until somebody acknowledges it."""

from __future__ import annotations

import asyncio
import logging
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.storage import ExecutionFilter, NewExecution
from jackfield.testing.context import FakeContext
from jackfield_store_sqlite import telling
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]
COMMITS = 30
FLIPS = 60
NOTE = "jackfield.db-reach"
RECORD = "jackfield.db-damage"


def new_execution(name: str) -> NewExecution:
    return NewExecution(name, None, 1, "manual", "queued", 1, name.encode() * 500)


async def fill(store: SqliteStore, count: int = COMMITS, start: int = 0) -> set[str]:
    """One commit per execution; what was acknowledged."""
    names = [f"e{number}" for number in range(start, start + count)]
    for name in names:
        await store.add_execution(new_execution(name))
    return set(names)


async def daemons(new_store: NewStore, directory: Path) -> SqliteStore:
    """As a daemon opens it."""
    store = new_store(directory)
    store.claim()
    await store.open()
    return store


@pytest.fixture
async def killed(new_store: NewStore, tmp_path: Path) -> Path:
    """What kill -9 leaves of a daemon's directory after `fill`."""
    (tmp_path / "running").mkdir()
    store = await daemons(new_store, tmp_path / "running")
    await fill(store)
    shutil.copytree(tmp_path / "running", tmp_path / "killed")
    return tmp_path / "killed"


async def there(store: SqliteStore) -> set[str]:
    page = await store.executions(ExecutionFilter(), offset=0, limit=10_000)
    return {row.id for row in page.rows}


def flip(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 0x10
    file.write_bytes(content)


async def test_every_loss_by_a_flip_in_the_log_is_told(killed: Path, new_store: NewStore, tmp_path: Path) -> None:
    chance = random.Random(4)
    size = (killed / "jackfield.db-wal").stat().st_size
    lost = 0
    for place in [0, 20, 30, *(chance.randrange(size) for _ in range(FLIPS))]:
        directory = tmp_path / f"flip{place}"
        shutil.copytree(killed, directory)
        flip(directory / "jackfield.db-wal", place)
        try:
            store = await daemons(new_store, directory)
        except ConfigurationError:
            continue  # damage that refuses the start is told too
        gone = COMMITS - len(await there(store))
        assert bool(gone) == bool(store.known_damage()), f"byte {place}: {gone} executions are gone"
        if gone:
            assert f"has lost {gone} commits" in store.known_damage()[0]
            lost += 1
        await store.close()
        shutil.rmtree(directory)
    assert lost > FLIPS // 2, "flips that lose nothing prove nothing"


@pytest.mark.parametrize("gone", ["jackfield.db-wal", "jackfield.db"])
async def test_a_file_that_is_gone_is_told(killed: Path, new_store: NewStore, gone: str) -> None:
    (killed / gone).unlink()
    if gone == "jackfield.db":
        (killed / "jackfield.db-wal").unlink()
    store = await daemons(new_store, killed)
    assert f"has lost {COMMITS} commits" in store.known_damage()[0]


async def test_no_false_alarm_after_kills_and_stops(new_store: NewStore, tmp_path: Path) -> None:
    names: set[str] = set()
    directory = tmp_path / "life0"
    directory.mkdir()
    for life in range(20):
        store = await daemons(new_store, directory)
        assert store.known_damage() == []
        assert await there(store) == names
        names |= await fill(store, 3, start=3 * life)
        killed, directory = directory, tmp_path / f"life{life + 1}"
        if life % 4 == 3:
            await store.close()
        shutil.copytree(killed, directory)
    assert not (directory / RECORD).exists()


async def test_no_false_alarm_after_checkpoint_and_vacuum(killed: Path, new_store: NewStore) -> None:
    with closing(sqlite3.connect(killed / "jackfield.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
    store = await daemons(new_store, killed)
    assert store.known_damage() == []
    assert len(await there(store)) == COMMITS


async def test_no_false_alarm_from_commands_beside_a_daemon(new_store: NewStore, tmp_path: Path) -> None:
    daemon = await daemons(new_store, tmp_path)
    for number in range(5):
        command = new_store(timeout=5)
        await command.open()
        await asyncio.gather(fill(command, 5, 10 * number), fill(daemon, 5, 10 * number + 5))
        assert command.known_damage() == []
        await command.close()
    await daemon.close()
    again = await daemons(new_store, tmp_path)
    assert again.known_damage() == []
    assert not again.database.watch.suspect


async def test_a_loss_is_known_until_it_is_acknowledged(
    killed: Path, new_store: NewStore, caplog: pytest.LogCaptureFixture
) -> None:
    (killed / "jackfield.db-wal").unlink()
    first = await daemons(new_store, killed)
    (told,) = first.known_damage()
    assert [entry.levelno for entry in caplog.records if told in entry.message] == [logging.ERROR]
    await fill(first, 2)
    await first.close()
    second = await daemons(new_store, killed)
    assert second.known_damage() == [told]
    command = new_store(killed)
    await command.open()
    assert await command.acknowledge_damage() == [told]
    await command.close()
    await second.check()
    assert second.known_damage() == []
    await second.close()
    third = await daemons(new_store, killed)
    assert third.known_damage() == []


async def test_a_command_that_finds_the_loss_first_keeps_it(killed: Path, new_store: NewStore) -> None:
    (killed / "jackfield.db-wal").unlink()
    command = new_store(killed)
    await command.open()
    await command.close()
    daemon = await daemons(new_store, killed)
    assert len(daemon.known_damage()) == 1
    assert daemon.database.watch.suspect, "the command did not end what the daemon began"


def counted(context: PluginContext) -> dict[str, float]:
    """The figures of damage; those of writes stand beside them."""
    told = {each.name: each.value for each in telling.metrics(context)}
    return {name: told[name] for name in ("store_damage_findings", "store_lost_commits")}


async def test_doctor_and_metrics_tell(killed: Path, new_store: NewStore) -> None:
    (killed / "jackfield.db-wal").unlink()
    store = await daemons(new_store, killed)
    context = FakeContext(killed, ports={"Store": store})
    (finding,) = await telling.findings(context)
    assert (finding.subject, finding.good) == ("data", False)
    assert "acknowledge-damage" in finding.message
    assert counted(context) == {"store_damage_findings": 1, "store_lost_commits": COMMITS}
    await telling.acknowledge(context)
    (finding,) = await telling.findings(context)
    assert finding.good
    assert counted(context) == {"store_damage_findings": 0, "store_lost_commits": 0}


async def test_either_copy_of_the_note_suffices(killed: Path, new_store: NewStore) -> None:
    flip(killed / NOTE, 20)
    (killed / "jackfield.db-wal").unlink()
    assert len((await daemons(new_store, killed)).known_damage()) == 1


@pytest.mark.parametrize("content", [b"", bytes(300), b"x" * 256])
async def test_a_damaged_note_alone_is_no_loss(killed: Path, new_store: NewStore, content: bytes) -> None:
    (killed / NOTE).write_bytes(content)
    store = await daemons(new_store, killed)
    assert store.known_damage() == []
    assert store.database.watch.suspect
    assert len(await there(store)) == COMMITS


async def test_a_copy_of_the_store_is_not_measured_by_the_note_beside_it(
    killed: Path, new_store: NewStore, tmp_path: Path
) -> None:
    store = await daemons(new_store, killed)
    backups = [tmp_path / "first.db", tmp_path / "second.db"]
    for backup in backups:
        backup.touch()
        await store.copy_to(backup)
    assert backups[0].read_bytes() == backups[1].read_bytes(), "an unchanged store costs a backup nothing"
    await fill(store, 5, start=100)
    await store.close()
    (killed / "jackfield.db").write_bytes(backups[0].read_bytes())
    restored = await daemons(new_store, killed)
    assert restored.known_damage() == []
    assert len(await there(restored)) == COMMITS


async def test_an_older_file_in_its_place_is_told(new_store: NewStore, tmp_path: Path) -> None:
    store = await daemons(new_store, tmp_path)
    await fill(store, 3)
    await store.close()
    older = (tmp_path / "jackfield.db").read_bytes()
    store = await daemons(new_store, tmp_path)
    await fill(store, 4, start=10)
    await store.close()
    (tmp_path / "jackfield.db").write_bytes(older)
    assert "has lost 4 commits" in (await daemons(new_store, tmp_path)).known_damage()[0]


async def test_only_an_unclean_stop_is_suspect(killed: Path, new_store: NewStore) -> None:
    store = await daemons(new_store, killed)
    assert store.database.watch.suspect
    await store.close()
    store = await daemons(new_store, killed)
    assert store.database.watch.suspect, "nobody looked at the data yet"
    store.database.watch.checked()
    await store.close()
    assert not (await daemons(new_store, killed)).database.watch.suspect


async def test_a_directory_that_takes_no_note_serves(new_store: NewStore, tmp_path: Path) -> None:
    (tmp_path / NOTE).mkdir()
    store = await daemons(new_store, tmp_path)
    await fill(store, 2)
    assert store.known_damage() == []
