"""The checks when a database is opened: whether all is there that was acknowledged, and how it was closed."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from jackfield_store_sqlite.damage.known import DamageFinding, KnownDamage
from jackfield_store_sqlite.damage.reach import Note, Reach, ReachFile, reached

_TABLE = "SELECT count(*) FROM sqlite_master WHERE name = 'reach'"


class DamageWatch:
    """One database's note and known damage. `look` and `begin` in this order, around the migration."""

    def __init__(self, database: Path, log: logging.Logger) -> None:
        self.note_file = ReachFile(database)
        self.known = KnownDamage(database, log)
        self.suspect = False
        """Whether the last daemon did not end in order and nobody has looked at all the data since."""
        self._database = database
        self._log = log
        self._note = Note()
        self._before: Reach | None = None
        self._claimed = False

    def read_note(self) -> None:
        """Before the first look into the database, so that another writer's commits cannot be missed."""
        self._note = self.note_file.read()

    def look(self, connection: sqlite3.Connection) -> None:
        """Before the migration: the write-ahead log may have lost that too. Raises sqlite3.Error."""
        self._before = reached(connection) if connection.execute(_TABLE).fetchone()[0] else None

    def begin(self, connection: sqlite3.Connection, *, claimed: bool) -> None:
        """Compare, keep and tell what is lost, then note what is there. claimed: by a daemon. Raises sqlite3.Error."""
        note, now = self._note, reached(connection)
        self._claimed = claimed
        self.suspect = not note.stopped if note.there else now.sequence > 0
        lost = self._lost(note.reach)
        self.known.refresh()
        if lost:
            self.known.add([DamageFinding(self._told(lost, note.reach), lost)])
        elif note.there and note.reach is None:
            self._log.warning("%s is damaged; nobody can tell whether commits are lost.", self.note_file.path)
        fresh = None if note.there else not self.suspect
        self.note_file.open(now, stopped=False if claimed else fresh)

    def checked(self) -> None:
        """Every part of the data was looked at."""
        self.suspect = False

    def close(self) -> None:
        """A daemon that was stopped before all was looked at leaves that to the next one."""
        self.note_file.close(stopped=self._claimed and not self.suspect)

    def _lost(self, noted: Reach | None) -> int:
        if noted is None:
            return 0
        if self._before is None:
            return noted.sequence
        if self._before.store != noted.store:
            self._log.info("%s is another database than the one that was here before.", self._database)
            return 0
        return max(0, noted.sequence - self._before.sequence)

    def _told(self, lost: int, noted: Reach | None) -> str:
        end = noted.sequence if noted else 0
        return (
            f"The database {self._database} has lost {lost} commits that were acknowledged: it must reach commit {end} "
            f"and reaches {end - lost}. Its write-ahead log was damaged or removed, or an older file took its place."
        )
