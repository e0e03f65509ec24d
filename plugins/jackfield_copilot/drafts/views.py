"""Drafts as the API shows them."""

from __future__ import annotations

from typing import cast

from jackfield.api.clock import iso
from jackfield.api.json_values import Json
from jackfield.api.storage.drafts import DraftRow
from jackfield_copilot.changes.listing import shown_changes
from jackfield_copilot.drafts.model import Draft, DraftRun, about_of
from jackfield_copilot.drafts.service import Against


def row_view(row: DraftRow, workflow_name: str | None) -> dict[str, Json]:
    about = about_of(row)
    return {
        "id": row.id,
        "workflowId": row.workflow_id,
        "workflowName": workflow_name,
        "title": str(about.get("title", "")),
        "revision": row.revision,
        "baseVersion": about.get("baseVersion"),
        "author": str(about.get("author", "")),
        "origin": {
            "kind": about.get("kind"),
            "profile": about.get("profile"),
            "sessionId": about.get("session"),
            "executionId": row.execution_id,
        },
        "createdAt": iso(row.created_at),
        "updatedAt": iso(row.updated_at),
        "changeCount": about.get("changeCount", 0),
    }


def draft_view(found: Against, run: dict[str, Json] | None) -> dict[str, Json]:
    draft, origin = found.draft, found.draft.origin
    changes = shown_changes(found.compared())
    owned = draft.workflow_id is not None and not found.gone
    return {
        "id": draft.id,
        "workflowId": draft.workflow_id,
        "workflowName": str(found.document.get("name")) if owned else None,
        "title": draft.title,
        "revision": draft.revision,
        "baseVersion": draft.base_version,
        "currentVersion": found.version,
        "author": draft.author,
        "origin": {
            "kind": origin.kind,
            "profile": origin.profile,
            "sessionId": origin.session,
            "executionId": origin.execution,
        },
        "createdAt": iso(draft.created_at),
        "updatedAt": iso(draft.updated_at),
        "changeCount": len(changes),
        "document": cast("Json", draft.document),
        "base": cast("Json", draft.base),
        "current": cast("Json", found.document) if owned else None,
        "changes": cast("Json", changes),
        "run": run,
    }


def run_view(run: DraftRun, state: str) -> dict[str, Json]:
    return {
        "id": run.id,
        "state": state,
        "revision": run.revision,
        "askedAt": iso(run.asked_at),
        "start": run.start,
        "until": run.until,
        "input": None if run.items is None else list(run.items),
        "executionId": run.execution,
        "problem": run.problem or None,
    }


def run_of(draft: Draft) -> DraftRun | None:
    return draft.run
