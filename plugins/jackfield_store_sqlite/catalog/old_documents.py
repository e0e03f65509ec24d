"""Documents of before secrets were sealed. Their content is overwritten, in the pages that get free as well."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial

from jackfield.api.errors import StoreUnavailable
from jackfield.api.old_documents import OldDocument
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_writer
from jackfield_store_sqlite.damage.digests import of_bytes, of_version
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import execute, pack, unpack

_log = logging.getLogger(__name__)
_RUN = ""
"""In place of a workflow's id: the document of an execution."""
_OLD = """SELECT u.workflow_id, u.version, v.document FROM unsealed_versions u
        LEFT JOIN workflow_versions v ON v.workflow_id = u.workflow_id AND v.version = u.version
    UNION ALL SELECT '', u.data, d.document FROM unsealed_runs u LEFT JOIN execution_documents d ON d.data = u.data
    LIMIT ?"""
_ALL_OLD = (
    "INSERT OR IGNORE INTO unsealed_versions SELECT workflow_id, version FROM workflow_versions",
    "INSERT OR IGNORE INTO unsealed_runs SELECT data FROM execution_documents",
)
_PUT_VERSION = "UPDATE workflow_versions SET document = ?, digest = ? WHERE workflow_id = ? AND version = ?"
_PUT_RUN = "UPDATE execution_documents SET document = ?, digest = ? WHERE data = ?"
_DONE_VERSION = "DELETE FROM unsealed_versions WHERE workflow_id = ? AND version = ?"
_DONE_RUN = "DELETE FROM unsealed_runs WHERE data = ?"


class SqliteOldDocuments:
    """`jackfield.api.old_documents.OldDocuments`."""

    _db: SqliteDatabase

    async def old_documents(self, limit: int) -> list[OldDocument]:
        def work(connection: sqlite3.Connection) -> list[tuple[str, int, bytes | None]]:
            return execute(connection, _OLD, [limit]).fetchall()

        found: list[OldDocument] = []
        while not found and (rows := await self._db.read(work)):
            found, broken = await asyncio.to_thread(_unpacked, rows)
            if broken:
                await self._db.write(partial(_pass_over, keys=broken))
        return found

    async def all_are_old(self) -> None:
        await self._db.write(_all_are_old)

    async def put_old_documents(self, documents: Sequence[OldDocument]) -> None:
        packed = await asyncio.to_thread(lambda: [(each.key, pack(each.document)) for each in documents])

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON")
            try:
                for (ident, number), data in packed:
                    _put(connection, ident, number, data)
            finally:
                connection.execute("PRAGMA secure_delete = FAST")

        await self._db.write(work, sum(len(data) for _, data in packed))

    async def wipe(self) -> None:
        """The log of writes still has pages as they were."""
        await asyncio.to_thread(_truncate_log, self._db)


def _all_are_old(connection: sqlite3.Connection) -> None:
    for statement in _ALL_OLD:
        execute(connection, statement, [])


def _unpacked(rows: Sequence[tuple[str, int, bytes | None]]) -> tuple[list[OldDocument], list[tuple[str, int]]]:
    """The documents, and the keys of those that cannot be read."""
    found, broken = [], []
    for ident, number, data in rows:
        try:
            found.append(OldDocument((ident, number), unpack(data) if data else {}))
        except ValueError:
            broken.append((ident, number))
    return found, broken


def _pass_over(connection: sqlite3.Connection, keys: Sequence[tuple[str, int]]) -> None:
    """Damaged documents must not keep the others from being sealed; a caller that reads one gets an error."""
    for ident, number in keys:
        _log.error("The stored document %s %d cannot be read, and is not sealed.", ident or "of a run", number)
        _done(connection, ident, number)


def _put(connection: sqlite3.Connection, ident: str, number: int, data: bytes) -> None:
    if ident == _RUN:
        execute(connection, _PUT_RUN, [data, of_bytes(data), number])
    else:
        execute(connection, _PUT_VERSION, [data, of_version(ident, number, data), ident, number])
    _done(connection, ident, number)


def _done(connection: sqlite3.Connection, ident: str, number: int) -> None:
    if ident == _RUN:
        execute(connection, _DONE_RUN, [number])
    else:
        execute(connection, _DONE_VERSION, [ident, number])


def _truncate_log(database: SqliteDatabase) -> None:
    try:
        with closing(connect_writer(database.file, database.settings)) as connection:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{failures.reason(error)}; the log of writes keeps what it has.") from error
    if busy:
        raise StoreUnavailable("The store is read by others; the log of writes keeps what it has.")
