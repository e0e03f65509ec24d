"""The port `Store` over SQLite: every group of verbs, one writer, and readers."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from jackfield.api.context import PluginContext
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
from jackfield_store_sqlite.catalog.old_documents import SqliteOldDocuments
from jackfield_store_sqlite.catalog.sharing import SqliteSharing, WorkflowMarks
from jackfield_store_sqlite.catalog.workflows import SqliteWorkflows
from jackfield_store_sqlite.claim import FileClaim
from jackfield_store_sqlite.configuration import SqliteConfiguration
from jackfield_store_sqlite.copies import SqliteCopies
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.facts import SqliteFacts
from jackfield_store_sqlite.history.calls import SqliteWebhooks
from jackfield_store_sqlite.history.executions import SqliteExecutions
from jackfield_store_sqlite.history.ownership import Lives, SqliteOwnership
from jackfield_store_sqlite.history.retention import SqlitePruning
from jackfield_store_sqlite.moving.store import SqliteMoves
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.users import SqliteUsers


class SqliteStore(
    SqliteUsers,
    SqliteWorkflows,
    SqliteWebhooks,
    SqliteExecutions,
    SqliteOwnership,
    SqliteSharing,
    SqliteConfiguration,
    SqliteFacts,
    SqlFileReferences[sqlite3.Connection],
    SqlLedgers[sqlite3.Connection],
    SqlInsights[sqlite3.Connection],
    SqlEntries[sqlite3.Connection],
    SqlAudit[sqlite3.Connection],
    SqlDrafts[sqlite3.Connection],
    SqlProjects[sqlite3.Connection],
    SqlTags[sqlite3.Connection],
    SqlFolders[sqlite3.Connection],
    SqlImported[sqlite3.Connection],
    SqlDataTables[sqlite3.Connection],
    SqlitePruning,
    SqliteCopies,
    SqliteOldDocuments,
    SqliteMoves,
):
    """`jackfield.api.storage.Store` on one SQLite file.

    `StoreUnavailable` means that nothing was changed, but for one case, which its message names. A commit that had
    begun did not end within the limit; then the change may or may not be there.
    """

    name = "sqlite"

    def __init__(self, config_dir: Path, settings: SqliteSettings, log: logging.Logger) -> None:
        self._db = SqliteDatabase(config_dir / settings.file, settings, log)
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
        self._claim = FileClaim(config_dir / settings.file)
        self._claimed = False
        self._lives = Lives()
        self._marks = WorkflowMarks()
        self._spans = {}

    @property
    def database(self) -> SqliteDatabase:
        return self._db

    def claim(self) -> None:
        self._claim.take()
        self._claimed = True

    async def open(self) -> None:
        await self._db.open(claimed=self._claimed)

    async def close(self) -> None:
        try:
            await self._db.close()
        finally:
            self._lives.end_all()
            self._claim.release()
            self._claimed = False

    async def check(self) -> None:
        await self._db.check()


def sqlite_store(context: PluginContext) -> SqliteStore:
    return SqliteStore(context.service.config_dir, context.settings(SqliteSettings), context.log)
