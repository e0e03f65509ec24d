"""`jackfield.api.storage.drafts.DraftStore` over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic

from ..errors import Conflict
from ..paging import Page
from ..storage.drafts import DraftRow, StoredDraft
from ..storage.projects import Within
from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect
from .projects import within_condition

_ROW = "id, workflow_id, execution_id, revision, created_at, updated_at, about"
_ADD = """INSERT INTO drafts (id, workflow_id, execution_id, revision, created_at, updated_at, about, sealed)
    SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM drafts) < ?"""
_CHANGE = """UPDATE drafts SET workflow_id = ?, execution_id = ?, revision = ?, updated_at = ?, about = ?, sealed = ?
    WHERE id = ? AND revision = ?"""
_THERE = "SELECT count(*) FROM drafts WHERE id = ?"
_ONE = f"SELECT {_ROW}, sealed FROM drafts WHERE id = ?"  # noqa: S608 - columns of ours
_DELETE = "DELETE FROM drafts WHERE id = ?"
_FORGET = "DELETE FROM drafts WHERE updated_at < ?"
_RESEAL = "UPDATE drafts SET sealed = ? WHERE id = ? AND sealed = ?"


class DraftWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def add(self, connection: ConnectionT, draft: StoredDraft, most: int) -> bool:
        row = draft.row
        if self._sql.number(connection, _THERE, [row.id]):
            raise Conflict("There is a draft with this id already.")
        values: list[SqlValue] = [row.id, row.workflow_id, row.execution_id, row.revision]
        values += [row.created_at, row.updated_at, row.about, draft.sealed, most]
        return self._sql.execute(connection, _ADD, values).rowcount == 1

    def change(self, connection: ConnectionT, draft: StoredDraft, known: int) -> bool:
        row = draft.row
        values: list[SqlValue] = [row.workflow_id, row.execution_id, row.revision, row.updated_at, row.about]
        return self._sql.execute(connection, _CHANGE, [*values, draft.sealed, row.id, known]).rowcount == 1

    def one(self, connection: ConnectionT, draft_id: str) -> StoredDraft | None:
        found = self._sql.execute(connection, _ONE, [draft_id]).fetchone()
        return None if found is None else StoredDraft(_row(found[:-1]), bytes(found[-1]))

    def page(
        self,
        connection: ConnectionT,
        workflow_id: str | None,
        execution_id: str | None,
        within: Within | None,
        offset: int,
        limit: int,
    ) -> Page[DraftRow]:
        parts, values = self._limited(within)
        if workflow_id == "":
            parts.append("workflow_id IS NULL")
        elif workflow_id is not None:
            parts.append("workflow_id = ?")
            values.append(workflow_id)
        if execution_id is not None:
            parts.append("execution_id = ?")
            values.append(execution_id)
        where = f" WHERE {' AND '.join(parts)}" if parts else ""
        count = f"SELECT count(*) FROM drafts{where}"  # noqa: S608 - conditions of ours
        rows = f"SELECT {_ROW} FROM drafts{where} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?"  # noqa: S608 - likewise
        total = self._sql.number(connection, count, values)
        found = self._sql.execute(connection, rows, [*values, limit, offset]).fetchall()
        return Page([_row(each) for each in found], total)

    def _limited(self, within: Within | None) -> tuple[list[str], list[SqlValue]]:
        if within is None:
            return [], []
        of_workflow, values = within_condition(self._sql, "workflow", "workflow_id", within)
        own, more = within_condition(self._sql, "draft", "drafts.id", within)
        both = f"((workflow_id IS NOT NULL AND {of_workflow}) OR (workflow_id IS NULL AND {own}))"
        return [both], [*values, *more]

    def delete(self, connection: ConnectionT, draft_id: str) -> bool:
        return self._sql.execute(connection, _DELETE, [draft_id]).rowcount == 1

    def forget(self, connection: ConnectionT, before: int) -> int:
        return self._sql.execute(connection, _FORGET, [before]).rowcount

    def reseal(self, connection: ConnectionT, draft_id: str, before: bytes, sealed: bytes) -> bool:
        return self._sql.execute(connection, _RESEAL, [sealed, draft_id, before]).rowcount == 1


def _row(values: tuple[Any, ...]) -> DraftRow:
    ident, workflow, execution, revision, created, updated, about = values
    return DraftRow(ident, workflow, execution, revision, created, updated, bytes(about))


class SqlDrafts(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _drafts: DraftWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def add_draft(self, draft: StoredDraft, most: int) -> bool:
        work = self._drafts
        return await self.database.write(lambda connection: work.add(connection, draft, most), len(draft.sealed))

    async def change_draft(self, draft: StoredDraft, known: int) -> bool:
        work = self._drafts
        return await self.database.write(lambda connection: work.change(connection, draft, known), len(draft.sealed))

    async def draft(self, draft_id: str) -> StoredDraft | None:
        return await self.database.read(lambda connection: self._drafts.one(connection, draft_id))

    async def drafts(
        self,
        workflow_id: str | None,
        execution_id: str | None,
        *,
        offset: int,
        limit: int,
        within: Within | None = None,
    ) -> Page[DraftRow]:
        return await self.database.read(
            lambda connection: self._drafts.page(connection, workflow_id, execution_id, within, offset, limit)
        )

    async def delete_draft(self, draft_id: str) -> bool:
        return await self.database.write(lambda connection: self._drafts.delete(connection, draft_id))

    async def forget_drafts(self, before: int) -> int:
        return await self.database.write_alone(lambda connection: self._drafts.forget(connection, before))

    async def reseal_draft(self, draft_id: str, before: bytes, sealed: bytes) -> bool:
        return await self.database.write(lambda connection: self._drafts.reseal(connection, draft_id, before, sealed))
