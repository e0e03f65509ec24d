"""`/import`: documents of n8n as JSON, or its files and its database as a form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from quart import Blueprint, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, PayloadTooLarge
from jackfield.api.http import (
    AuditedThing,
    AuditNotes,
    audit_notes,
    json_response,
    operation,
    principal,
    read_json,
    read_model,
    read_query,
)
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.saved_documents import SavedDocuments
from jackfield_migration.bundle import Bundle
from jackfield_migration.importing import BundleImporter, Options
from jackfield_migration.reading.cipher import N8nCipher
from jackfield_migration.report import Result, Told, report_view
from jackfield_migration.settings import MigrationSettings

if TYPE_CHECKING:
    from jackfield_migration.exporting import Exporter
    from jackfield_migration.schemas import ActivationBody, MovingInQuery, MovingOutQuery

Found: TypeAlias = "tuple[Bundle, N8nCipher | None]"
ReadUploads: TypeAlias = Callable[[Sequence[tuple[str, IO[bytes]]], Sequence[str], MigrationSettings], Awaitable[Found]]
_SCHEMAS = "jackfield_migration.schemas"
_TAGS = ("import",)
_SCOPE = "workflows:write"
_ALSO = "credentials:write"
_TABLES = "data-tables:write"
_MULTIPART = "multipart/form-data"
_ABOVE_LIMIT = "The files are larger than the setting server.body_limit allows; raise it, or send fewer at a time."
_IN_PIECES = "`jackfield import n8n FILE` takes files up to migration.document_limit, and sends them in pieces."


class MigrationRoutes:
    """Views of imports."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(MigrationSettings)
        self._importer = BundleImporter(context)

    @operation(
        "Import workflows, credentials and variables of n8n: as JSON, or files and its database as a form",
        scope=_SCOPE,
        request=f"{_SCHEMAS}:ImportDocuments",
        response=f"{_SCHEMAS}:ReportShown",
        query=f"{_SCHEMAS}:MovingInQuery",
        tags=_TAGS,
        act="workflow.import",
    )
    async def import_documents(self) -> Response:
        """200 whatever became of each document: the report says it."""
        query = read_query(cast("type[MovingInQuery]", load(f"{_SCHEMAS}:MovingInQuery")))
        try:
            if (request.mimetype or "").lower() == _MULTIPART:
                bundle, cipher, following = *(await self._uploaded()), frozenset[str]()
            else:
                bundle, cipher, following = self._given(await read_json())
        except (PayloadTooLarge, RequestEntityTooLarge) as exc:
            said = exc.message if isinstance(exc, PayloadTooLarge) else _ABOVE_LIMIT
            raise PayloadTooLarge(f"{said} {_IN_PIECES}") from None
        if bundle.size() > self._settings.documents:
            details = {"body": f"has {bundle.size()} documents; migration.documents allows {self._settings.documents}"}
            raise InvalidInput("There are too many documents for one import.", details=details)
        if bundle.credentials:
            principal().require(_ALSO)
        if bundle.data_tables:
            principal().require(_TABLES)
        options = Options(principal(), query.source, query.dryRun, query.activate, following)
        report = await self._importer.run(bundle, cipher, options, noted(audit_notes(), dry_run=query.dryRun))
        return json_response(report_view(report))

    def _given(self, body: Json) -> tuple[Bundle, N8nCipher | None, frozenset[str]]:
        """Raises `InvalidInput`."""
        bundle, keys, following = Bundle(), list[str](), frozenset[str]()
        if isinstance(body, dict) and "nodes" not in body:
            key, ids = body.get("encryptionKey"), body.get("following")
            keys = read_keys(key) if isinstance(key, str) else []
            following = frozenset(map(str, ids)) if isinstance(ids, list) else following
        bundle.add(body, "body")
        if isinstance(body, dict) and isinstance(origins := body.get("origins"), dict):
            bundle.label(origins, body.get("remarks"))
        if not bundle.size() and not bundle.left:
            reason = bundle.unreadable[0].reason if bundle.unreadable else "It holds no document."
            raise InvalidInput("There is nothing to import.", details={"body": reason})
        self._context.secrets.redact(*keys)
        return bundle, N8nCipher(keys) if keys else None, following

    async def _uploaded(self) -> Found:
        """Raises `InvalidInput`, `PayloadTooLarge`."""
        form = await request.form
        keys = read_keys(form.get("encryptionKey", ""))
        self._context.secrets.redact(*keys)
        files = (await request.files).getlist("files")
        if not files:
            raise InvalidInput("There is nothing to import.", details={"files": "send at least one file"})
        read = cast("ReadUploads", load("jackfield_migration.reading.uploads:read_uploads"))
        return await read([(each.filename or "file", each.stream) for each in files], keys, self._settings)

    @operation(
        "Activate several workflows; each on its own",
        operation_id="activateImported",
        scope=_SCOPE,
        request=f"{_SCHEMAS}:ActivationBody",
        response=f"{_SCHEMAS}:ActivationShown",
        tags=_TAGS,
        act="workflow.activate",
    )
    async def activate(self) -> Response:
        body: ActivationBody = await read_model(f"{_SCHEMAS}:ActivationBody")
        things = list[AuditedThing]()
        audit_notes().things = things
        return json_response({"data": [await self._activated(each, things) for each in body.workflows]})

    async def _activated(self, workflow_id: str, things: list[AuditedThing]) -> dict[str, Json]:
        problems: list[Json] = []
        try:
            await self._context.port(SavedDocuments).set_active(workflow_id, True, principal())
        except JackfieldError as exc:
            found = (exc.details if isinstance(exc, InvalidInput) else None) or {"active": exc.message}
            problems += [{"path": path, "message": str(text), "severity": "error"} for path, text in found.items()]
        things.append(AuditedThing("workflow", workflow_id, failed=bool(problems)))
        return {"id": workflow_id, "active": not problems, "problems": problems}


def noted(notes: AuditNotes, *, dry_run: bool) -> Told:
    """For the audit log: each thing once, as soon as it is stored."""
    found: dict[tuple[str, str], None] = {}
    things = list[AuditedThing]()
    notes.things = things

    def told(result: Result) -> None:
        kind = "data-table" if result.kind == "dataTable" else result.kind
        if result.id is not None and not dry_run and (kind, result.id) not in found:
            found[kind, result.id] = None
            things.append(AuditedThing(kind, result.id, result.name))

    return told


class ExportRoutes:
    """Views of what goes to n8n."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation(
        "Read a workflow in n8n's form: n8n's names of node types, and its ids as far as they came from there",
        scope="workflows:read",
        response=f"{_SCHEMAS}:ExportShown",
        query=f"{_SCHEMAS}:MovingOutQuery",
        tags=("workflows",),
        act="workflow.export",
    )
    async def export_workflow(self, workflow_id: str) -> Response:
        query = read_query(cast("type[MovingOutQuery]", load(f"{_SCHEMAS}:MovingOutQuery")))
        make = cast("Callable[[PluginContext, str], Exporter]", load("jackfield_migration.exporting:Exporter"))
        exporter = make(self._context, query.source)
        await exporter.load()
        found = await exporter.export(workflow_id)
        return json_response({"workflow": found.document, "warnings": list(found.warnings)})


def read_keys(text: str) -> list[str]:
    """Keys, one in a line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views, exports = MigrationRoutes(context), ExportRoutes(context)
    made = Blueprint("migration", __name__, url_prefix="/api/v1")
    for path, view in (("/import", views.import_documents), ("/import/activate", views.activate)):
        made.add_url_rule(path, view_func=view, methods=["POST"])
    made.add_url_rule("/workflows/<workflow_id>/n8n", view_func=exports.export_workflow, methods=["GET"])
    return [made]
