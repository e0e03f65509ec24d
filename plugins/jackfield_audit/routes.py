"""`/api/v1/audit`. Nothing here changes a record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import datetime

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, RateLimited, StoreUnavailable
from jackfield.api.http import SAVED, json_response, operation, principal, read_query, save_as
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.projects import ProjectAccess, whole_store
from jackfield.api.storage.audit import AuditFilter, AuditStore
from jackfield_audit.schemas import AuditExportQuery, AuditQuery, AuditWhere
from jackfield_audit.settings import AuditSettings
from jackfield_audit.verifying import verify
from jackfield_audit.views import as_csv, as_jsonl, shown

_SCHEMAS = "jackfield_audit.schemas"
_TAGS = ("audit",)
_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


class AuditRoutes:
    """Administrators see everything; administrators of projects see theirs."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(AuditSettings)
        self._readers = asyncio.Semaphore(self._settings.readers)

    @property
    def _store(self) -> AuditStore:
        return whole_store(self._context.store)

    @operation(
        "List records of the audit log, the newest first",
        operation_id="listAuditRecords",
        scope=None,
        query=f"{_SCHEMAS}:AuditQuery",
        response=f"{_SCHEMAS}:AuditPage",
        tags=_TAGS,
        errors=(AccessDenied, StoreUnavailable),
    )
    async def records(self) -> Response:
        query = read_query(AuditQuery)
        where = await self._where(query)
        rows = await self._store.audit_rows(where, after=query.before, limit=query.limit + 1, newest_first=True)
        page, more = rows[: query.limit], len(rows) > query.limit
        return json_response({"data": [shown(row) for row in page], "next": page[-1].number if more else None})

    @operation(
        "Check the audit log's chain: hashes, stamps, and whether anything is missing",
        operation_id="checkAuditLog",
        scope="admin",
        response=f"{_SCHEMAS}:AuditVerdict",
        tags=_TAGS,
        errors=(RateLimited, StoreUnavailable),
        act="audit.verify",
    )
    async def verification(self) -> Response:
        self._require_room()
        async with self._readers:
            return json_response((await verify(self._context)).shown())

    @operation(
        "Export records of the audit log, the oldest first",
        operation_id="exportAuditRecords",
        scope=None,
        query=f"{_SCHEMAS}:AuditExportQuery",
        tags=_TAGS,
        media=("application/x-ndjson", "text/csv"),
        headers=SAVED,
        errors=(AccessDenied, RateLimited, StoreUnavailable),
        act="audit.export",
    )
    async def export(self) -> Response:
        query = read_query(AuditExportQuery)
        where = await self._where(query)
        form = as_csv if query.format == "csv" else as_jsonl
        self._require_room()
        answer = Response(
            self._counted(form(self._store, where, self._settings.export_limit)), content_type=_TYPES[query.format]
        )
        answer.timeout = None
        save_as(answer, f"audit.{query.format}")
        return answer

    def _require_room(self) -> None:
        """Raises `RateLimited`."""
        if self._readers.locked():
            raise RateLimited(5, "Others read the audit log just now; see audit.readers.")

    async def _counted(self, parts: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """The room is taken by what is read: an answer that nobody fetches takes none."""
        async with self._readers:
            async for part in parts:
                yield part

    async def _where(self, query: AuditWhere) -> AuditFilter:
        """Raises `AccessDenied`."""
        projects = await self._projects()
        if query.project_id:
            if projects is not None and query.project_id not in projects:
                raise AccessDenied("The audit log of a project is for its administrators.")
            projects = [query.project_id]
        return AuditFilter(
            query.act,
            query.actor,
            query.kind,
            query.subject,
            query.outcome,
            projects,
            _ms(query.since),
            _ms(query.until),
        )

    async def _projects(self) -> Sequence[str] | None:
        """Those whose records the caller may see; None: all."""
        caller = principal()
        if caller.role == "admin" and not caller.is_limited:
            return None
        rights = None if caller.is_limited else await self._context.port(ProjectAccess).rights()
        found = [] if rights is None else [project for project in rights.roles if rights.may(project, "admin")]
        if not found:
            raise AccessDenied("The audit log is for administrators, and a project's part for those of the project.")
        return found


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made, views = Blueprint("audit", __name__, url_prefix=f"{SERVICE_PREFIX}/audit"), AuditRoutes(context)
    for path, view in (("", views.records), ("/verification", views.verification), ("/export", views.export)):
        made.add_url_rule(path, view_func=view, methods=["GET"])
    return [made]
