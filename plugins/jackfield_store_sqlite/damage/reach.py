"""How far the database must reach. Every commit counts a row of it up; a small file beside it notes the count before
anything is answered. A database that is behind its note has lost commits, whatever became of the write-ahead log.

The note is written after the commit is durable and is not synchronised itself: a power cut may leave it behind, never
ahead. It names its store, so that a restored backup is not measured by the note of another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import struct
import zlib
from pathlib import Path

from jackfield.api.records import record

_STORE = "SELECT store, sequence FROM reach"
_ADVANCE = "UPDATE reach SET sequence = sequence + 1 RETURNING sequence"
_RENAME = "UPDATE reach SET store = ?, sequence = 0"
_NOTE = struct.Struct("<8s16sq")
_CHECKSUM = struct.Struct("<I")
_MAGIC = b"jfreach1"
_PLACE = 64
"""Bytes of one copy. Both copies are written at once: a damaged one costs nothing."""
_LIFE = 2 * _PLACE
_SIZE = 4 * _PLACE
_RUNNING, _STOPPED = b"running.", b"stopped."
_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@record
class Reach:
    """The commits of one store. store: 16 random bytes; sequence: how many there were."""

    store: bytes
    sequence: int


@record
class Note:
    """The file's content. reach: None where it cannot be read; stopped: whether the last daemon ended in order."""

    there: bool = False
    reach: Reach | None = None
    stopped: bool = False


def reached(connection: sqlite3.Connection) -> Reach:
    """Raises sqlite3.Error."""
    store, sequence = connection.execute(_STORE).fetchone()
    return Reach(bytes(store), sequence)


def advance(connection: sqlite3.Connection) -> int:
    """Count the transaction that is about to be committed; its number."""
    row = connection.execute(_ADVANCE).fetchone()
    return 0 if row is None else int(row[0])


def rename(connection: sqlite3.Connection) -> None:
    """Make a copy another store than the original. Copies of one state get one name: their pages are alike."""
    known = reached(connection)
    digest = hashlib.sha256(known.store + known.sequence.to_bytes(8, "little", signed=True)).digest()
    connection.execute(_RENAME, (digest[:16],))


class ReachFile:
    """The file beside the database. A failing write is left out: an old note promises less."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + "-reach")
        self._descriptor: int | None = None
        self._store = b""

    def read(self) -> Note:
        """Blocks. A note that cannot be read is taken as damaged."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return Note()
        except OSError:
            content = b""
        reach = next((found for at in (0, _PLACE) if (found := _reach(content[at : at + _PLACE]))), None)
        life = content[_LIFE : _LIFE + len(_STOPPED)]
        return Note(True, reach, reach is not None and life == _STOPPED)

    def open(self, reach: Reach, *, stopped: bool | None) -> None:
        """Note this state, and from now on what `note` says. Blocks. stopped: None leaves what is there of the last
        daemon."""
        self._store = reach.store
        with contextlib.suppress(OSError):
            self._descriptor = os.open(self.path, _FLAGS | os.O_CREAT, 0o600)
            os.fchmod(self._descriptor, 0o600)
            if os.fstat(self._descriptor).st_size < _SIZE:
                os.ftruncate(self._descriptor, _SIZE)
        self.note(reach.sequence)
        if stopped is not None:
            self._live(_STOPPED if stopped else _RUNNING)

    def note(self, sequence: int) -> None:
        """Called after each commit, before it is answered."""
        if self._descriptor is not None:
            packed = _NOTE.pack(_MAGIC, self._store, sequence)
            copy = (packed + _CHECKSUM.pack(zlib.crc32(packed))).ljust(_PLACE, b"\0")
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, copy + copy, 0)

    def close(self, *, stopped: bool) -> None:
        """stopped: the daemon whose store this is ends in order."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if stopped:
            self._descriptor = descriptor
            self._live(_STOPPED)
            self._descriptor = None
        with contextlib.suppress(OSError):
            os.close(descriptor)

    def _live(self, life: bytes) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, life, _LIFE)
                os.fsync(self._descriptor)


def _reach(copy: bytes) -> Reach | None:
    packed, checksum = copy[: _NOTE.size], copy[_NOTE.size : _NOTE.size + _CHECKSUM.size]
    if len(checksum) < _CHECKSUM.size or _CHECKSUM.unpack(checksum) != (zlib.crc32(packed),):
        return None
    magic, store, sequence = _NOTE.unpack(packed)
    return Reach(store, sequence) if magic == _MAGIC else None
