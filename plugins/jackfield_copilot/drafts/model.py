"""A draft, and how the store has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias, cast

from jackfield.api import jsontext
from jackfield.api.errors import DataDamaged, InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.records import record
from jackfield.api.storage.drafts import DraftRow, StoredDraft

OriginKind: TypeAlias = Literal["person", "copilot", "execution"]
RunState: TypeAlias = Literal["asked", "running", "refused"]
MOST_RUNS = 20
"""Executions of a draft that are remembered."""


@record
class DraftOrigin:
    """profile, session: of the agent; execution: the failure that is to be repaired."""

    kind: OriginKind = "person"
    profile: str | None = None
    session: str | None = None
    execution: str | None = None


@record
class DraftRun:
    """Somebody wants the draft to run. `revision`: of the draft that was asked about. `items`: the input. `execution`:
    once it has begun. `problem`: why it has not."""

    id: str
    state: RunState
    revision: int
    asked_at: int
    start: str | None = None
    until: str | None = None
    items: Sequence[Json] | None = None
    execution: str | None = None
    problem: str = ""


@record
class Draft:
    """`base`: the workflow as it was shown when the draft began, {} for none. `base_version`: its version. `document`:
    what is proposed. `runs`: executions of the draft, the latest last."""

    id: str
    workflow_id: str | None
    title: str
    author: str
    origin: DraftOrigin
    revision: int
    created_at: int
    updated_at: int
    document: Mapping[str, Any]  # JSON
    base: Mapping[str, Any] = field(default_factory=dict)  # JSON
    base_version: int | None = None
    change_count: int = 0
    run: DraftRun | None = None
    runs: Sequence[str] = ()


def row_of(draft: Draft) -> DraftRow:
    about: dict[str, Json] = {
        "title": draft.title,
        "author": draft.author,
        "kind": draft.origin.kind,
        "profile": draft.origin.profile,
        "session": draft.origin.session,
        "baseVersion": draft.base_version,
        "changeCount": draft.change_count,
    }
    return DraftRow(
        draft.id,
        draft.workflow_id,
        draft.origin.execution,
        draft.revision,
        draft.created_at,
        draft.updated_at,
        jsontext.dumps(about),
    )


def contents_of(draft: Draft) -> bytes:
    """The sealed part."""
    run = draft.run
    made: dict[str, Json] = {
        "document": cast("Json", draft.document),
        "base": cast("Json", draft.base),
        "runs": list[Json](draft.runs),
        "run": None
        if run is None
        else {
            "id": run.id,
            "state": run.state,
            "revision": run.revision,
            "askedAt": run.asked_at,
            "start": run.start,
            "until": run.until,
            "items": None if run.items is None else list(run.items),
            "execution": run.execution,
            "problem": run.problem,
        },
    }
    return jsontext.dumps(made)


def draft_of(stored: StoredDraft, opened: bytes) -> Draft:
    """Raises `DataDamaged`."""
    row, about = stored.row, about_of(stored.row)
    try:
        held = cast("dict[str, Any]", jsontext.loads(opened))  # as `contents_of` wrote it
        run = held["run"]
        return Draft(
            row.id,
            row.workflow_id,
            str(about["title"]),
            str(about["author"]),
            DraftOrigin(about["kind"], about["profile"], about["session"], row.execution_id),
            row.revision,
            row.created_at,
            row.updated_at,
            held["document"],
            held["base"],
            about["baseVersion"],
            int(about["changeCount"]),
            None if run is None else _run(run),
            tuple(held["runs"]),
        )
    except (InvalidInput, KeyError, TypeError, ValueError):
        raise DataDamaged(f"The draft {row.id} is damaged; discard it.") from None


def about_of(row: DraftRow) -> dict[str, Any]:  # as `row_of` wrote it
    try:
        found = jsontext.loads(row.about)
    except InvalidInput:
        found = None
    return found if isinstance(found, dict) else {}


def _run(run: Mapping[str, Any]) -> DraftRun:  # as `contents_of` wrote it
    return DraftRun(
        run["id"],
        run["state"],
        run["revision"],
        run["askedAt"],
        run["start"],
        run["until"],
        run["items"],
        run["execution"],
        run["problem"],
    )
