"""Backups of a directory with a real store: by content, whole or none, and back."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import Credential, Variable
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_backup.making import MadeBackup, make_backup
from jackfield_backup.manifest import BackupError, BackupManifest, SavedFile, SavedLink, read, written
from jackfield_backup.repository import BackupRepository
from jackfield_backup.restoring import restore, verify_backups
from jackfield_backup.schedule import findings, forever
from jackfield_backup.settings import BackupSettings
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

BIG = random.Random(1).randbytes(3_000_000)


class Place:
    """A configuration directory with its store."""

    def __init__(self, root: Path) -> None:
        self.config = root / "config"
        self.config.mkdir(mode=0o700)
        self.backups = root / "backups"
        self.restored = root / "restored"
        self.store = SqliteStore(self.config, SqliteSettings(), logging.getLogger("jackfield.test"))
        self.clock = FakeClock()
        settings = BackupSettings(directory=str(self.backups), interval=60, keep=2)
        given = FakeContext(self.config, clock=self.clock, tables=[settings], ports={"Store": self.store})
        self.context = cast("PluginContext", given)

    def put(self, name: str, content: bytes) -> Path:
        path = self.config / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    async def variable(self, value: str) -> None:
        await self.store.put_variable(Variable("v", "k", value, 1, 1))

    async def backup(self, *, keys: bool = True, keep: int = 9) -> MadeBackup:
        return await make_backup(self.context, self.backups, keys=keys, keep=keep)

    def variable_at(self, root: Path) -> str:
        with closing(sqlite3.connect(root / "jackfield.db")) as connection:
            return str(connection.execute("SELECT value FROM variables").fetchone()[0])


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    await made.store.open()
    yield made
    await made.store.close()


def files(root: Path) -> dict[str, bytes]:
    found = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith("jackfield.db")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


async def test_what_is_saved_comes_back(place: Place) -> None:
    place.put("config.toml", b"# mine\n")
    place.put("keys/encryption.key", b"k" * 32)
    place.put("profiles/p1.json", b"{}")
    place.put("empty/nothing", b"")
    content = place.put("binary/content/ab/abc", BIG)
    owned = place.put("binary/executions/e1/abc", b"")
    owned.unlink()
    owned.hardlink_to(content)
    place.put("scripts/run.sh", b"#!/bin/sh\n").chmod(0o700)
    (place.config / "registry").mkdir()
    (place.config / "registry" / "current").symlink_to("../profiles")
    await place.variable("first")
    expected = files(place.config)
    for name in ("logs/jackfield.log", "cache/x", "daemon.lock", ".config.toml.jackfield-0123abcd"):
        place.put(name, b"not to be saved")
    made = await place.backup()
    assert made.manifest.left_out == []
    assert restore(place.backups, place.restored, None) == made.manifest
    assert files(place.restored) == expected
    assert place.variable_at(place.restored) == "first"
    assert (place.restored / "binary/executions/e1/abc").samefile(place.restored / "binary/content/ab/abc")
    assert (place.restored / "registry/current").readlink() == Path("../profiles")
    assert (place.restored / "scripts/run.sh").stat().st_mode & 0o777 == 0o700
    for path in [*place.backups.rglob("*"), *place.restored.rglob("*")]:
        assert path.is_symlink() or path.stat().st_mode & 0o077 == 0, path


async def test_what_is_there_is_not_copied_again(place: Place) -> None:
    place.put("binary/content/ab/abc", BIG)
    first = await place.backup()
    assert first.added > len(BIG)
    place.put("profiles/p1.json", b"{}")
    second = await place.backup()
    assert second.added == 2
    assert [each.problems for each in verify_backups(place.backups, None)] == [[], []]


async def test_old_backups_go_with_what_only_they_have(place: Place) -> None:
    gone = place.put("binary/content/ab/abc", BIG)
    first = await place.backup()
    gone.unlink()
    await place.variable("second")
    assert (await place.backup(keep=1)).removed == 1
    repository = BackupRepository(place.backups)
    assert first.manifest.id not in repository.ids()
    kept = {path.name for path in repository.objects.rglob("*") if path.is_file()}
    assert kept == repository.manifest(repository.ids()[0]).parts()


async def test_without_keys(place: Place) -> None:
    place.put("keys/encryption.key", b"k" * 32)
    assert not (await place.backup(keys=False)).manifest.keys
    restore(place.backups, place.restored, None)
    assert not (place.restored / "keys").exists()


async def test_other_databases_are_of_one_moment(place: Place) -> None:
    (place.config / "telemetry").mkdir()
    with closing(sqlite3.connect(place.config / "telemetry/ledger.db", isolation_level=None)) as ledger:
        ledger.execute("PRAGMA journal_mode = WAL")
        ledger.execute("CREATE TABLE t (n)")
        ledger.execute("INSERT INTO t VALUES (7)")
        await place.backup()
    restore(place.backups, place.restored, None)
    assert sorted(path.name for path in (place.restored / "telemetry").iterdir()) == ["ledger.db"]
    with closing(sqlite3.connect(place.restored / "telemetry/ledger.db")) as ledger:
        assert ledger.execute("SELECT n FROM t").fetchall() == [(7,)]


async def test_a_damaged_piece_is_named_and_never_restored(place: Place) -> None:
    place.put("profiles/p1.json", BIG)
    await place.backup()
    first, *_ = (file.parts[1] for file in verify_manifest(place).files if file.path == "profiles/p1.json")
    piece = BackupRepository(place.backups).path(first)
    content = bytearray(piece.read_bytes())
    content[17] ^= 4
    piece.write_bytes(content)
    (told,) = verify_backups(place.backups, None)[0].problems
    assert "profiles/p1.json" in told
    assert str(piece) in told
    with pytest.raises(BackupError, match="cannot be restored"):
        restore(place.backups, place.restored, None)
    assert list(place.restored.iterdir()) == []
    await place.backup()  # writes the piece anew, as it has the content
    assert verify_backups(place.backups, None)[0].problems == []
    restore(place.backups, place.restored, None)


async def test_names_that_are_no_text_are_left_out_and_told(place: Place) -> None:
    for name in (b"bad\xff", b"bad\xfe/inside"):
        place.put(os.fsdecode(name), b"x")
    (place.config / "link").symlink_to(os.fsdecode(b"to\xff"))
    place.put("kept", b"1")
    made = await place.backup()
    assert sorted(line.partition(":")[0] for line in made.manifest.left_out) == [
        "b'bad\\xfe'", "b'bad\\xff'", "link",
    ]  # fmt: skip
    restore(place.backups, place.restored, None)
    assert files(place.restored)["kept"] == b"1"


async def test_backups_within_the_directory_hold_no_backups(place: Place) -> None:
    (place.config / "here").symlink_to(".")
    for root in (place.config / "backups", place.config / "here" / "backups"):
        made = await make_backup(place.context, root, keys=True, keep=9)
        assert [name for name in made.manifest.directories if name.startswith("backups")] == []
        assert [file.path for file in made.manifest.files if file.path.startswith("backups")] == []


def verify_manifest(place: Place) -> BackupManifest:
    repository = BackupRepository(place.backups)
    return repository.manifest(repository.ids()[-1])


async def test_a_damaged_manifest_is_named_and_costs_no_piece(place: Place) -> None:
    first = await place.backup()
    path = place.backups / "manifests" / first.manifest.id
    path.write_bytes(path.read_bytes().replace(b"jackfield.db", b"jackfield.dc"))
    assert "digest" in verify_backups(place.backups, None)[0].problems[0]
    place.put("x", b"x")
    pieces = {path.name for path in (place.backups / "objects").rglob("*") if path.is_file()}
    await place.backup()
    assert pieces < {path.name for path in (place.backups / "objects").rglob("*") if path.is_file()}


async def test_a_damaged_store_gives_no_backup(place: Place) -> None:
    for number in range(300):
        await place.store.put_variable(Variable(f"v{number}", f"k{number}", "x" * 500, 1, 1))
    await place.backup()
    await place.store.close()
    file = place.config / "jackfield.db"
    content = bytearray(file.read_bytes())
    for page in range(len(content) // 8192 // 2, len(content) // 8192):
        content[page * 8192 : page * 8192 + 64] = os.urandom(64)
    file.write_bytes(content)
    with pytest.raises(StoreUnavailable, match="damaged"):
        await place.backup()
    assert len(BackupRepository(place.backups).ids()) == 1
    assert list((place.backups / "incoming").iterdir()) == []


async def test_a_copy_with_damaged_rows_displaces_no_good_one(place: Place) -> None:
    await place.store.put_credential(Credential("c", "name", "kind", b"sealed", 1, 1))
    good = await place.backup(keep=1)
    assert good.damaged == []
    with closing(sqlite3.connect(place.config / "jackfield.db", isolation_level=None)) as connection:
        connection.execute("UPDATE credentials SET kind = 'other'")
    made = await place.backup(keep=1)
    assert "credential c" in made.damaged[0]
    assert made.removed == 0
    assert BackupRepository(place.backups).ids() == [good.manifest.id, made.manifest.id]


async def test_only_into_an_empty_directory(place: Place) -> None:
    await place.backup()
    place.restored.mkdir()
    (place.restored / "mine").write_text("x")
    with pytest.raises(BackupError, match="not empty"):
        restore(place.backups, place.restored, None)
    with pytest.raises(BackupError, match="something else"):
        await make_backup(place.context, place.restored, keys=True, keep=1)
    with pytest.raises(BackupError, match="holds the configuration"):
        await make_backup(place.context, place.config.parent, keys=True, keep=1)
    with pytest.raises(BackupError, match="no backups"):
        restore(place.restored, place.backups, None)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "links/x"])
def test_a_manifest_that_leads_out_is_refused(path: str) -> None:
    links = [SavedLink("links", "elsewhere")]
    manifest = BackupManifest(1, "b", "", "", "jackfield.db", None, True, [], [SavedFile(path, 0)], links, [])
    with pytest.raises(BackupError, match="leads out"):
        read(written(manifest), "b")


async def test_one_works_at_a_time(place: Place) -> None:
    await place.backup()
    with BackupRepository(place.backups).locked(alone=True):
        with pytest.raises(BackupError, match="Somebody else"):
            await place.backup()
        with pytest.raises(BackupError, match="Somebody else"):
            verify_backups(place.backups, None)


async def test_a_store_without_copies_is_told(tmp_path: Path) -> None:
    context = cast("PluginContext", FakeContext(tmp_path, ports={"Store": MemoryStore()}))
    with pytest.raises(BackupError, match="The store memory"):
        await make_backup(context, tmp_path / "b", keys=True, keep=1)


async def test_the_doctor_misses_backups(place: Place) -> None:
    (missing,) = await findings(place.context)
    assert not missing.good
    await place.backup()
    (there,) = await findings(place.context)
    assert there.good
    await place.clock.advance(121)
    (late,) = await findings(place.context)
    assert not late.good


async def test_the_daemon_makes_one_per_interval_and_keeps_some(place: Place) -> None:
    ids = BackupRepository(place.backups).ids
    task = asyncio.create_task(forever(place.context))
    seen: set[str] = set()
    try:
        for number in range(1, 5):
            async with asyncio.timeout(20):
                while not set(ids()) - seen:
                    await place.clock.advance(10)
                    await asyncio.sleep(0.01)
            seen |= set(ids())
            assert len(seen) == number
    finally:
        task.cancel()
    assert len(ids()) <= 3


async def test_a_failed_one_is_told_and_tried_again(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    place.backups.mkdir()
    strange = place.backups / "strange"
    strange.write_text("x")
    task = asyncio.create_task(forever(place.context))
    try:
        async with asyncio.timeout(20):
            while "something else" not in caplog.text:
                await place.clock.advance(1)
                await asyncio.sleep(0.01)
            strange.unlink()
            while not BackupRepository(place.backups).ids():
                await place.clock.advance(1)
                await asyncio.sleep(0.01)
    finally:
        task.cancel()
    assert "The backup failed" in caplog.text
