"""kill -9 while a database of an earlier version is brought up to date: the next start goes on, and nothing is gone."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.testing.daemon import poll
from jackfield_store_sqlite.schema import APPLICATION_ID, MIGRATIONS

from ..e2e.conftest import StartDaemon
from .effects import Effects
from .figures import Figures
from .kills import PATIENCE
from .load import Load
from .test_disk import judge, with_faults

SLOW = 0.02
"""Seconds more for each write: so the migration takes long enough to be met."""
CALLS = 20
FIRST = 6.0
"""Seconds in which such a start is over, before one was measured."""
KILLS = 5
"""Of one migration; then it is left alone."""


@pytest.mark.scenario("migration", 20)
def test_migrations(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = f"kills in migrations from schema 1 to {len(MIGRATIONS)}"
    chance = random.Random(seed)
    lives, faults = with_faults(new_daemon, effects, tmp_path)
    daemon, left, unmigrated = lives.daemon, figures.count, 0
    store = daemon.config_dir / "jackfield.db"
    while left:
        with Load(daemon, lives.book) as load:
            poll(lambda load=load: load.answers >= CALLS, "calls are answered", timeout=PATIENCE)
        lives.settle()
        assert daemon.stop() == 0
        age(store)
        faults.slow(SLOW)
        usual = lives.starts[-1] if lives.starts else FIRST
        for _ in range(min(KILLS, left)):
            daemon.start(wait=False)
            time.sleep(chance.uniform(0, usual))  # the moment is what is varied
            daemon.kill()
            left -= 1
            unmigrated += version(store) == 1
        lives.ready()
        faults.end()
        assert version(store) == len(MIGRATIONS)
    lives.settle()
    judge(lives, figures)
    figures.note(killed_before_the_migration_had_ended=unmigrated)
    figures.times("ready after the last kill", lives.starts)
    figures.check()


def age(store: Path) -> None:
    """The same rows in a database of the first schema."""
    older = store.with_suffix(".older")
    with closing(sqlite3.connect(older, isolation_level=None)) as db:
        db.execute("PRAGMA page_size = 8192")
        db.execute("PRAGMA journal_mode = WAL")
        for statement in MIGRATIONS[0]:
            db.execute(statement)
        db.execute("ATTACH ? AS newer", (str(store),))
        kept = """SELECT o.name FROM main.sqlite_master o JOIN newer.sqlite_master n USING (type, name)
            WHERE type = 'table'"""  # later schemas have no table `probe`
        tables = [name for (name,) in db.execute(kept)]
        db.execute("BEGIN")
        for table in tables:
            if table.startswith("sqlite_"):
                continue
            columns = ", ".join(column[1] for column in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(f"DELETE FROM main.{table}")
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
        db.execute("COMMIT")
        db.execute("DETACH newer")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in (f"{store.name}-wal", f"{store.name}-shm"):
        store.with_name(name).unlink(missing_ok=True)
    for suffix in ("-wal", "-shm"):
        Path(f"{older}{suffix}").unlink(missing_ok=True)
    older.chmod(0o600)
    older.rename(store)


def version(store: Path) -> int:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])
