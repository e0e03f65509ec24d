"""Tools that read, change and check the draft."""

from __future__ import annotations

import asyncio
from typing import Annotated, cast

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield.api.workflow_edits.changing import changed
from jackfield.api.workflow_edits.diffs import difference
from jackfield.api.workflow_edits.operations import Operation
from jackfield_copilot.drafts.model import Draft
from jackfield_copilot.tools.tool import AnyDraftTool, BoundCall, DraftArguments, DraftTool, NoArguments

_PAGE = 100


class ChangeDraft(DraftArguments):
    operations: Annotated[list[Operation], Field(min_length=1, max_length=200)]


async def _get(bound: BoundCall, given: NoArguments) -> Json:
    found = await bound.drafts.against(await bound.draft())
    draft = found.draft
    now = await asyncio.to_thread(difference, found.document, draft.document)
    return {
        "revision": draft.revision,
        "workflowId": draft.workflow_id,
        "failedExecution": draft.origin.execution,
        "document": cast("Json", draft.document),
        "differenceToTheWorkflow": now,
    }


async def _change(bound: BoundCall, given: ChangeDraft) -> Json:
    before = await bound.draft()
    after = await asyncio.to_thread(changed, cast("dict[str, Json]", before.document), given.operations)
    made = await bound.drafts.write(bound.draft_id, after, revision=before.revision)
    told = await asyncio.to_thread(difference, before.document, made.document)
    return {"revision": made.revision, "difference": told, **await _judged(bound, made)}


async def _validate(bound: BoundCall, given: NoArguments) -> Json:
    return await _judged(bound, await bound.draft())


async def _judged(bound: BoundCall, draft: Draft) -> dict[str, Json]:
    """As the workflow would be stored: with the secrets that it has."""
    document = {**draft.document, **({} if draft.workflow_id is None else {"id": draft.workflow_id})}
    judged = await bound.ask("POST", "/workflows/validate", body=cast("Json", document))
    return {name: judged[name] for name in ("valid", "activatable", "problems", "starts") if name in judged}


async def _credentials(bound: BoundCall, given: NoArguments) -> Json:
    page = await bound.context.store.credentials(0, _PAGE)
    rows: list[Json] = [{"id": one.id, "name": one.name, "kind": one.kind} for one in page.rows]
    return {"credentials": rows, "total": page.total}


EDITING_TOOLS: tuple[AnyDraftTool, ...] = (
    DraftTool(
        "get_draft",
        "Read the draft",
        "Read the draft: its document, secrets masked, and how it differs from the workflow that is saved.",
        NoArguments,
        _get,
        reads=True,
    ),
    DraftTool(
        "change_draft",
        "Change the draft",
        "Change the draft by operations, all or none: add_node, update_node, remove_node, rename_node, connect, "
        "disconnect, enable_node, disable_node, set_settings, set_name, pin_data. Tells the difference and the "
        "problems. Nothing goes live: a person accepts or rejects each change.",
        ChangeDraft,
        _change,
    ),
    DraftTool(
        "validate_draft",
        "Check the draft",
        "Say what is wrong with the draft: errors, what would keep it from going live, warnings, and what would start "
        "it.",
        NoArguments,
        _validate,
        reads=True,
    ),
    DraftTool(
        "list_draft_credentials",
        "List credentials",
        "List credentials by id, name and kind, for a node's `credentials`: {kind: {id, name}}. Their values are never "
        "shown.",
        NoArguments,
        _credentials,
        reads=True,
    ),
)
