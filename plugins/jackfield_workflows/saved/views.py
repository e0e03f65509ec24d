"""Workflows as the API shows them: the document as written, with the service's own keys."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.storage import StoredWorkflow, Tag, VersionRow, WorkflowRow
from jackfield.api.triggers import Start
from jackfield.api.workflows import Problem
from jackfield_workflows.activation.views import attention_of, starts_view
from jackfield_workflows.documents.sealing import SEALED, without_sealed
from jackfield_workflows.documents.tags import TAGS

_SERVICE_KEYS = frozenset({"id", "active", "attention", "createdAt", "updatedAt", TAGS, SEALED})


def without_service_keys(document: Json) -> Json:
    """The document as it is kept: without what the service itself says of a workflow, so that what was read can be
    written back. `version` counts as the service's own when it is a whole number."""
    if not isinstance(document, dict):
        return document
    return {key: value for key, value in document.items() if key not in _SERVICE_KEYS and not _is_version(key, value)}


def workflow_view(stored: StoredWorkflow, attention: Sequence[Problem] = ()) -> dict[str, Json]:
    """attention: what keeps a live one from starting. A `version` of the document's own that is no whole number stays;
    the ETag always has the service's."""
    return {
        "version": stored.version,
        **without_sealed(stored.document),
        "id": stored.id,
        "name": stored.name,
        "active": stored.active,
        **attention_of(attention),
        "tags": [tag_view(tag) for tag in stored.tags],
        "createdAt": iso(stored.created_at),
        "updatedAt": iso(stored.updated_at),
    }


def row_view(row: WorkflowRow, attention: Sequence[Problem] = (), starts: Sequence[Start] = ()) -> dict[str, Json]:
    """starts: of a live one."""
    return {
        "id": row.id,
        "name": row.name,
        "active": row.active,
        "version": row.version,
        "nodeCount": row.node_count,
        "folderId": row.folder_id,
        **attention_of(attention),
        **({"starts": starts_view(starts)} if starts else {}),
        "tags": [tag_view(tag) for tag in row.tags],
        "createdAt": iso(row.created_at),
        "updatedAt": iso(row.updated_at),
    }


def tag_view(tag: Tag) -> dict[str, Json]:
    return {"id": tag.id, "name": tag.name, "createdAt": iso(tag.created_at), "updatedAt": iso(tag.updated_at)}


def version_view(row: VersionRow) -> dict[str, Json]:
    view: dict[str, Json] = {"version": row.version, "name": row.name, "createdAt": iso(row.created_at)}
    told = {"author": row.author, "label": row.label or None}
    return {**view, **{name: value for name, value in told.items() if value is not None}}


def validation_view(found: Sequence[Problem]) -> dict[str, Json]:
    """`valid`: no problem is an error; `activatable`: nothing keeps the workflow from being live either."""
    problems: list[Json] = [
        {"path": problem.path, "message": problem.message, "severity": problem.severity} for problem in found
    ]
    return {
        "valid": all(problem.severity != "error" for problem in found),
        "activatable": all(problem.severity == "warning" for problem in found),
        "problems": problems,
    }


def _is_version(key: str, value: Json) -> bool:
    return key == "version" and isinstance(value, int) and not isinstance(value, bool)
