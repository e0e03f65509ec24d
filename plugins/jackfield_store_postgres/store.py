"""The port `Store` over PostgreSQL: every group of verbs, one writer, and readers."""

from __future__ import annotations

import asyncio
import logging

from jackfield.api.sql.audit import AuditWork, SqlAudit
from jackfield.api.sql.data_tables import SqlDataTables
from jackfield.api.sql.drafts import DraftWork, SqlDrafts
from jackfield.api.sql.entries import EntryWork, SqlEntries
from jackfield.api.sql.file_references import FileWork, SqlFileReferences
from jackfield.api.sql.folders import FolderWork, SqlFolders
from jackfield.api.sql.imported import ImportedWork, SqlImported
from jackfield.api.sql.insights import InsightWork, SqlInsights
from jackfield.api.sql.ledgers import LedgerWork, SqlLedgers
from jackfield.api.sql.projects import ProjectWork, SqlProjects
from jackfield.api.sql.table_work import TableWork
from jackfield.api.sql.tags import SqlTags, TagWork
from jackfield_store_postgres.caps import PostgresCaps
from jackfield_store_postgres.catalog.old_documents import PostgresOldDocuments
from jackfield_store_postgres.catalog.revisions import Revisions
from jackfield_store_postgres.catalog.workflows import PostgresWorkflows
from jackfield_store_postgres.configuration import PostgresConfiguration
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.facts import PostgresFacts
from jackfield_store_postgres.history.calls import PostgresWebhooks
from jackfield_store_postgres.history.executions import PostgresExecutions
from jackfield_store_postgres.history.ownership import PostgresOwnership
from jackfield_store_postgres.history.retention import PostgresPruning
from jackfield_store_postgres.moving.store import PostgresMoves
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.shared.counts import PostgresCounts
from jackfield_store_postgres.shared.hosts import PostgresHosts
from jackfield_store_postgres.shared.memos import PostgresMemos
from jackfield_store_postgres.users import PostgresUsers


class PostgresStore(
    PostgresUsers,
    PostgresWorkflows,
    PostgresWebhooks,
    PostgresExecutions,
    PostgresOwnership,
    PostgresHosts,
    PostgresConfiguration,
    PostgresFacts,
    SqlFileReferences[Connection],
    SqlLedgers[Connection],
    SqlInsights[Connection],
    SqlEntries[Connection],
    SqlAudit[Connection],
    SqlDrafts[Connection],
    SqlProjects[Connection],
    SqlTags[Connection],
    SqlFolders[Connection],
    SqlImported[Connection],
    PostgresMemos,
    PostgresCounts,
    SqlDataTables[Connection],
    PostgresPruning,
    PostgresOldDocuments,
    PostgresMoves,
):
    """`jackfield.api.storage.Store` on one schema of a PostgreSQL database.

    `StoreUnavailable` means that nothing was changed, but for one case, which its message names. A commit that had
    begun did not end within the limit; then the change may or may not be there.
    """

    name = "postgres"

    def __init__(self, settings: PostgresSettings, log: logging.Logger) -> None:
        """Raises `ConfigurationError` for an address that cannot be read."""
        self._db = PostgresDatabase(settings, log)
        self._tables = TableWork(SQL)
        self._files = FileWork(SQL)
        self._ledgers = LedgerWork(SQL)
        self._insights = InsightWork(SQL)
        self._entries = EntryWork(SQL)
        self._audit = AuditWork(SQL)
        self._drafts = DraftWork(SQL)
        self._projects = ProjectWork(SQL)
        self._tags = TagWork(SQL)
        self._folders = FolderWork(SQL)
        self._imported = ImportedWork(SQL)
        self._revisions = Revisions(self._db)
        self._pruning = asyncio.Lock()
        self._added = 0
        self._caps = PostgresCaps(self._db, log)

    @property
    def password(self) -> str:
        """That of the address; empty when it has none."""
        return self._db.connector.password

    @property
    def dsn(self) -> str:
        """`jackfield.api.bus.PostgresAddress`"""
        return self._db.settings.dsn

    @property
    def database(self) -> PostgresDatabase:
        return self._db

    async def open(self) -> None:
        await self._db.open()
        await self._revisions.open()

    async def close(self) -> None:
        await self._caps.close()
        await self._db.close()

    async def check(self) -> None:
        await self._db.check()
