"""Workflows, their versions and what they register."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.sql.conditions import where as conditions
from jackfield.api.sql.queries import Query
from jackfield.api.sql.registrations import RegistrationWork
from jackfield.api.sql.tags import HAS_TAG, TagWork
from jackfield.api.storage import Page, StoredWorkflow, VersionRow, WorkflowFilter, WorkflowOrder, WorkflowRow
from jackfield.api.triggers import Registration
from jackfield.api.workflow_words import words_of
from jackfield.api.workflows import Document
from jackfield_store_sqlite.catalog.sharing import WorkflowMarks
from jackfield_store_sqlite.catalog.tags import FOLDED_TAGS, TAGS_OF_WORKFLOW, read_tags
from jackfield_store_sqlite.damage.digests import checked_document, of_version
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.failures import taken, too_many_labels
from jackfield_store_sqlite.history.calls import forget_histories
from jackfield_store_sqlite.rows import execute, number, pack
from jackfield_store_sqlite.static_data import put_static_data, static_data
from jackfield_store_sqlite.within import limited

_Changed: TypeAlias = "tuple[StoredWorkflow | None, list[str]]"
"""The workflow as it is now, and the ids of webhooks that are gone."""
_FORGET_OLD = """DELETE FROM workflow_versions WHERE workflow_id = ? AND version <= (
    SELECT version FROM workflow_versions WHERE workflow_id = ? ORDER BY version DESC LIMIT 1 OFFSET ?)
    AND label = ''"""
_ADD = """INSERT INTO workflows
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM folders WHERE id = ?), ?)"""
"""In no folder when it has gone meanwhile."""
_COLUMNS: Mapping[str, str] = {
    "name": "folded_name",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "nodeCount": "node_count",
}
_FOUND = f"instr(folded_name || char(10) || words || char(10) || {FOLDED_TAGS}, ?)"
"""A line each: nobody searches for line breaks."""


def _stored(
    id: str,
    name: str,
    active: int,
    version: int,
    document: bytes,
    created: int,
    updated: int,
    digest: int | None,
    tags: str,
    folder: str | None,
) -> StoredWorkflow:
    """Raises `DataDamaged`."""
    what = f"workflow {id} in version {version}"
    parsed = checked_document(document, digest, of_version(id, version, document), what)
    return StoredWorkflow(id, name, bool(active), version, parsed, created, updated, read_tags(tags), folder)


def _row(
    id: str,
    name: str,
    active: int,
    version: int,
    created: int,
    updated: int,
    nodes: int,
    tags: str,
    folder: str | None,
) -> WorkflowRow:
    return WorkflowRow(id, name, bool(active), version, created, updated, nodes, read_tags(tags), folder)


_TAGS = TagWork(SQL)
_ROUTES = RegistrationWork(SQL, "rowid")
_VERSIONED = "workflows w JOIN workflow_versions v ON v.workflow_id = w.id"
_OWN_TAGS = TAGS_OF_WORKFLOW.format(id="w.id")
_CURRENT = Query(
    SQL,
    f"w.id, w.name, w.active, w.version, v.document, w.created_at, w.updated_at, v.digest, {_OWN_TAGS}, w.folder_id",
    f"{_VERSIONED} AND v.version = w.version",
    "w.id",
    _stored,
)
_EARLIER = Query(
    SQL,
    f"w.id, v.name, w.active, v.version, v.document, w.created_at, v.created_at, v.digest, {_OWN_TAGS}, w.folder_id",
    _VERSIONED,
    "v.version",
    _stored,
)
_LIST = Query(
    SQL,
    "id, name, active, version, created_at, updated_at, node_count, "
    f"{TAGS_OF_WORKFLOW.format(id='workflows.id')}, folder_id",
    "workflows",
    "updated_at DESC, id DESC",
    _row,
)
_VERSIONS = Query(SQL, "version, name, created_at, author, label", "workflow_versions", "version DESC", VersionRow)


class SqliteWorkflows:
    """Part of the store port."""

    _db: SqliteDatabase
    _marks: WorkflowMarks

    async def add_workflow(
        self,
        workflow: StoredWorkflow,
        registrations: Sequence[Registration],
        author: str | None,
        *,
        tags: Sequence[str] = (),
    ) -> None:
        document = pack(workflow.document)
        row = (
            workflow.id, workflow.name, workflow.name.casefold(), int(workflow.active), workflow.version,
            _node_count(workflow.document), workflow.created_at, workflow.updated_at, workflow.folder_id,
            words_of(workflow.document),
        )  # fmt: skip

        def work(connection: sqlite3.Connection) -> None:
            if number(connection, "SELECT count(*) FROM workflows WHERE id = ?", [workflow.id]):
                raise taken()
            if workflow.active:
                _ROUTES.check(connection, workflow.id, workflow.name, registrations)
            execute(connection, _ADD, row)
            _add_version(connection, workflow, document, workflow.created_at, author)
            _TAGS.name(connection, workflow.id, tags, workflow.created_at)
            _ROUTES.replace(connection, workflow.id, registrations, active=workflow.active, now=workflow.created_at)

        await self._db.write(work, len(document))
        self._marks.note(workflow.id)

    async def change_workflow(
        self,
        workflow_id: str,
        document: Document,
        name: str,
        registrations: Sequence[Registration],
        *,
        now: int,
        author: str | None,
        expected_version: int | None = None,
        tags: Sequence[str] | None = None,
        active: bool | None = None,
    ) -> StoredWorkflow | None:
        data = pack(document)
        kept = self._db.settings.versions_kept

        def work(connection: sqlite3.Connection) -> _Changed:
            old = _row_of(connection, workflow_id)  # its document may be damaged, and goes
            if old is None:
                return None, []
            _check_version(old.version, expected_version)
            kept_tags = old.tags if tags is None else _TAGS.name(connection, old.id, tags, now)
            live = old.active if active is None else active
            version = old.version + 1
            new = StoredWorkflow(old.id, name, live, version, document, old.created_at, now, kept_tags, old.folder_id)
            gone = _save(connection, new, registrations)
            _add_version(connection, new, data, now, author)
            execute(connection, _FORGET_OLD, [new.id, new.id, kept])
            return new, gone

        return await self._change(workflow_id, work, len(data))

    async def set_active(
        self,
        workflow_id: str,
        active: bool,
        registrations: Sequence[Registration],
        *,
        now: int,
        expected_version: int | None = None,
    ) -> StoredWorkflow | None:
        def work(connection: sqlite3.Connection) -> _Changed:
            old = _current(connection, workflow_id)
            if old is None:
                return None, []
            _check_version(old.version, expected_version)
            new = replace(old, active=active, updated_at=now)
            return new, _save(connection, new, registrations)

        return await self._change(workflow_id, work)

    async def delete_workflow(self, workflow_id: str) -> bool:
        def work(connection: sqlite3.Connection) -> tuple[bool, list[str]]:
            sql = "SELECT id FROM registrations WHERE workflow_id = ?"
            gone = [webhook_id for (webhook_id,) in execute(connection, sql, [workflow_id])]
            return execute(connection, "DELETE FROM workflows WHERE id = ?", [workflow_id]).rowcount > 0, gone

        deleted, gone = await self._db.write(work)
        self._marks.note(workflow_id)
        await forget_histories(self._db, gone)
        return deleted

    async def _change(
        self, workflow_id: str, work: Callable[[sqlite3.Connection], _Changed], size: int = 0
    ) -> StoredWorkflow | None:
        changed, gone = await self._db.write(work, size)
        self._marks.note(workflow_id)
        await forget_histories(self._db, gone)
        return changed

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None:
        return await self._db.read(lambda connection: _current(connection, workflow_id))

    async def workflow_row(self, workflow_id: str) -> WorkflowRow | None:
        return await self._db.read(lambda connection: _row_of(connection, workflow_id))

    async def workflow_version(self, workflow_id: str, version: int) -> StoredWorkflow | None:
        return await self._db.read(
            lambda connection: _EARLIER.one(connection, "w.id = ? AND v.version = ?", workflow_id, version)
        )

    async def workflows(self, where: WorkflowFilter, *, offset: int, limit: int) -> Page[WorkflowRow]:
        clause, values = conditions(
            [("active = ?", where.active if where.active is None else int(where.active)),
             ("instr(folded_name, ?)", where.search.casefold() if where.search else None),
             (_FOUND, where.words.casefold() if where.words else None),
             ("coalesce(folder_id, '') = ?", where.folder),
             *((HAS_TAG, name) for name in where.tags)]
        )  # fmt: skip
        clause, values = limited(clause, values, "workflow", "workflows.id", where.within)
        listed = replace(_LIST, order=_order(where.order))
        return await self._db.read(lambda connection: listed.page(connection, clause, values, offset, limit))

    async def versions(self, workflow_id: str, offset: int, limit: int) -> Page[VersionRow]:
        clause = " WHERE workflow_id = ?"
        return await self._db.read(lambda connection: _VERSIONS.page(connection, clause, [workflow_id], offset, limit))

    async def label_version(self, workflow_id: str, version: int, label: str) -> bool:
        kept = self._db.settings.versions_kept
        named = "SELECT count(*) FROM workflow_versions WHERE workflow_id = ? AND version <> ? AND label <> ''"
        sql = "UPDATE workflow_versions SET label = ? WHERE workflow_id = ? AND version = ?"

        def work(connection: sqlite3.Connection) -> bool:
            if label and number(connection, named, [workflow_id, version]) >= kept:
                raise too_many_labels(kept)
            return execute(connection, sql, [label, workflow_id, version]).rowcount > 0

        return await self._db.write(work)

    async def static_data(self, workflow_id: str) -> bytes | None:
        return await self._db.read(lambda connection: static_data(connection, workflow_id))

    async def set_static_data(self, workflow_id: str, data: bytes, known: bytes | None) -> bool:
        return await self._db.write(lambda connection: put_static_data(connection, workflow_id, data, known), len(data))


def _current(connection: sqlite3.Connection, workflow_id: str) -> StoredWorkflow | None:
    return _CURRENT.one(connection, "w.id = ?", workflow_id)


def _row_of(connection: sqlite3.Connection, workflow_id: str) -> WorkflowRow | None:
    return _LIST.one(connection, "id = ?", workflow_id)


def _check_version(present: int, expected: int | None) -> None:
    if expected not in (None, present):
        raise Conflict(
            f"The workflow is at version {present}, not {expected}; load it again and repeat the change.",
            details={"version": f"is {present}"},
        )


def _save(connection: sqlite3.Connection, new: StoredWorkflow, registrations: Sequence[Registration]) -> list[str]:
    """Returns the ids of registrations that are gone."""
    if new.active:
        _ROUTES.check(connection, new.id, new.name, registrations)
    sql = """UPDATE workflows SET name = ?, folded_name = ?, active = ?, version = ?, node_count = ?, updated_at = ?,
        words = ? WHERE id = ?"""
    row = (
        new.name, new.name.casefold(), int(new.active), new.version, _node_count(new.document), new.updated_at,
        words_of(new.document), new.id,
    )  # fmt: skip
    execute(connection, sql, row)
    return _ROUTES.replace(connection, new.id, registrations, active=new.active, now=new.updated_at)


def _add_version(
    connection: sqlite3.Connection, workflow: StoredWorkflow, document: bytes, now: int, author: str | None
) -> None:
    digest = of_version(workflow.id, workflow.version, document)
    row = (workflow.id, workflow.version, workflow.name, now, author, document, digest)
    execute(connection, "INSERT INTO workflow_versions VALUES (?, ?, ?, ?, ?, ?, ?, '')", row)


def _order(order: WorkflowOrder) -> str:
    way = "DESC" if order.startswith("-") else "ASC"
    return f"{_COLUMNS[order.removeprefix('-')]} {way}, id {way}"


def _node_count(document: Document) -> int:
    nodes = document.get("nodes")
    return len(nodes) if isinstance(nodes, list) else 0
