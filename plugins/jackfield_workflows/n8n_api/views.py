"""Workflows, versions, variables and executions in n8n's shapes."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.n8n_pages import shared
from jackfield.api.storage import SHARED, ExecutionRow, ExecutionStatus, StoredWorkflow, Variable, VersionRow
from jackfield_workflows.documents.sealing import without_sealed
from jackfield_workflows.saved.views import tag_view

STATUS_WORDS: Mapping[ExecutionStatus, str] = {
    "queued": "new",
    "running": "running",
    "waiting": "waiting",
    "success": "success",
    "failed": "error",
    "cancelled": "canceled",
}
"""Ours -> n8n's."""
_MODE_WORDS = {"test": "manual", "sub": "integrated"}
"""Modes that n8n names otherwise."""
_PARTS: Mapping[str, Json] = {"nodes": [], "connections": {}, "settings": {}, "staticData": None, "pinData": {}}
"""The parts that every workflow of n8n has."""


def workflow_view(stored: StoredWorkflow, triggers: int, project_id: str = SHARED) -> dict[str, Json]:
    """A workflow with its secrets: see `SecretParameters.redacted`. versionId: the number of the version, as text.
    triggers: how many start it while it is live."""
    version = str(stored.version)
    return {
        **_PARTS,
        **without_sealed(stored.document),
        "id": stored.id,
        "name": stored.name,
        "active": stored.active,
        "createdAt": iso(stored.created_at),
        "updatedAt": iso(stored.updated_at),
        "isArchived": False,
        "versionId": version,
        "activeVersionId": version if stored.active else None,
        "versionCounter": stored.version,
        "triggerCount": triggers,
        "tags": [tag_view(tag) for tag in stored.tags],
        "shared": [{**shared("workflow:owner", project_id), "workflowId": stored.id}],
    }


def with_active_version(view: dict[str, Json]) -> dict[str, Json]:
    """The workflow with the version that is live, which is the saved one."""
    active = {key: view[key] for key in ("nodes", "connections", "name", "createdAt", "updatedAt")}
    live: Json = {"versionId": view["versionId"], "workflowId": view["id"], **active}
    return {**view, "activeVersion": live if view["active"] else None}


def version_view(stored: StoredWorkflow, shown: Mapping[str, Json]) -> dict[str, Json]:
    """shown: the version's document without secrets."""
    return {
        "versionId": str(stored.version),
        "workflowId": stored.id,
        "nodes": shown.get("nodes") or [],
        "connections": shown.get("connections") or {},
        "authors": "",
        "name": stored.name,
        "description": None,
        "createdAt": iso(stored.updated_at),
        "updatedAt": iso(stored.updated_at),
    }


def version_row(workflow_id: str, row: VersionRow) -> dict[str, Json]:
    return {
        "versionId": str(row.version),
        "workflowId": workflow_id,
        "authors": row.author or "",
        "name": row.name,
        "createdAt": iso(row.created_at),
        "updatedAt": iso(row.created_at),
    }


def variable_view(variable: Variable) -> dict[str, Json]:
    return {"id": variable.id, "key": variable.key, "value": variable.value, "type": "string", "project": None}


def execution_view(row: ExecutionRow) -> dict[str, Json]:
    """A list row; `data` is not in it."""
    waits = row.resume_at is not None and row.status == "waiting"
    return {
        "id": row.id,
        "finished": row.status == "success",
        "mode": _MODE_WORDS.get(row.mode, row.mode),
        "retryOf": row.retry_of,
        "retrySuccessId": None,
        "status": STATUS_WORDS[row.status],
        "createdAt": iso(row.created_at),
        "startedAt": None if row.started_at is None else iso(row.started_at),
        "stoppedAt": None if row.finished_at is None else iso(row.finished_at),
        "deletedAt": None,
        "workflowId": row.workflow_id,
        "waitTill": iso(row.resume_at) if waits and row.resume_at is not None else None,
    }
