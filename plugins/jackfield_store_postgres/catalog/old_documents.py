"""Documents whose secrets are to be sealed with another key."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from jackfield.api.old_documents import OldDocument
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import execute, pack, unpack
from jackfield_store_postgres.server.connections import Connection

_log = logging.getLogger(__name__)
_RUN = -1
"""In place of a version: the document of an execution."""
_OLD = f"""SELECT workflow_id, version, document FROM workflow_versions WHERE NOT sealed
    UNION ALL SELECT id, {_RUN}, document FROM executions WHERE NOT sealed LIMIT %s"""  # noqa: S608 - a number of ours
_ALL_OLD = (
    "UPDATE workflow_versions SET sealed = false WHERE sealed",
    "UPDATE executions SET sealed = false WHERE document IS NOT NULL AND sealed",
)
_PUT_VERSION = """UPDATE workflow_versions SET document = coalesce(%s, document), sealed = true
    WHERE workflow_id = %s AND version = %s"""
_PUT_RUN = "UPDATE executions SET document = coalesce(%s, document), sealed = true WHERE id = %s"


class PostgresOldDocuments:
    """`jackfield.api.old_documents.OldDocuments`."""

    _db: PostgresDatabase

    async def old_documents(self, limit: int) -> list[OldDocument]:
        def work(connection: Connection) -> list[tuple[str, int, bytes]]:
            return execute(connection, _OLD, [limit]).fetchall()

        found: list[OldDocument] = []
        while not found and (rows := await self._db.read(work)):
            found, broken = await asyncio.to_thread(_unpacked, rows)
            await self._pass_over(broken)
        return found

    async def all_are_old(self) -> None:
        def work(connection: Connection) -> None:
            for statement in _ALL_OLD:
                execute(connection, statement)

        await self._db.write(work)

    async def put_old_documents(self, documents: Sequence[OldDocument]) -> None:
        packed = await asyncio.to_thread(lambda: [(each.key, pack(each.document)) for each in documents])

        def work(connection: Connection) -> None:
            for (ident, version), data in packed:
                _put(connection, ident, version, data)

        await self._db.write(work, sum(len(data) for _, data in packed))

    async def wipe(self) -> None:
        """Rows that were replaced go with PostgreSQL's own cleaning; its log and its backups are the operator's."""

    async def _pass_over(self, broken: Sequence[tuple[str, int]]) -> None:
        """Documents that cannot be read must not keep the others from being sealed; a caller that reads one gets an
        error.
        """

        def work(connection: Connection) -> None:
            for ident, version in broken:
                _put(connection, ident, version, None)

        for ident, version in broken:
            _log.error("The stored document %s %d cannot be read, and is not sealed.", ident, version)
        if broken:
            await self._db.write(work)


def _unpacked(rows: Sequence[tuple[str, int, bytes]]) -> tuple[list[OldDocument], list[tuple[str, int]]]:
    """The documents, and the keys of those that cannot be read."""
    found, broken = [], []
    for ident, version, data in rows:
        try:
            found.append(OldDocument((ident, version), unpack(data)))
        except ValueError:
            broken.append((ident, version))
    return found, broken


def _put(connection: Connection, ident: str, version: int, data: bytes | None) -> None:
    """None: it stays as it is."""
    if version == _RUN:
        execute(connection, _PUT_RUN, [data, ident])
    else:
        execute(connection, _PUT_VERSION, [data, ident, version])
