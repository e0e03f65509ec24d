"""Workflows: created, changed by operations, taken live and off, deleted."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield.api.workflow_edits.changing import changed
from jackfield.api.workflow_edits.diffs import difference
from jackfield.api.workflow_edits.operations import Operation
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident
from jackfield_mcp.tools.workflows import Document, Version, document_of, problems_of

_STORED = ("id", "version", "active", "attention", "createdAt", "updatedAt")
"""Keys of an answer that are the store's."""


class CreateWorkflowArguments(ToolArguments):
    workflow: Document = Field(
        description="name, nodes (each with name, type, typeVersion, position, parameters), connections by node name, "
        "settings: n8n's workflow JSON."
    )


class ChangeWorkflowArguments(ToolArguments):
    workflow_id: Ident
    operations: Annotated[list[Operation], Field(min_length=1, max_length=200)]
    expected_version: Version | None = Field(
        None, description="Refuse when the workflow has another version by now. Default: the one that is read here."
    )
    dry_run: bool = Field(False, description="Tell the difference and the problems, and save nothing.")


class WorkflowArguments(ToolArguments):
    workflow_id: Ident


async def _create(run: ToolRun, given: CreateWorkflowArguments) -> Json:
    document = {name: value for name, value in given.workflow.items() if name not in _STORED}
    saved = await run.api.mapping("POST", "/workflows", body=document)
    return {**_told(saved), **await _judged(run, saved)}


async def _change(run: ToolRun, given: ChangeWorkflowArguments) -> Json:
    before = await document_of(run.api, given.workflow_id)
    after = changed(before, given.operations)
    found = difference(before, after)
    if given.dry_run:
        return {"saved": False, "difference": found, **await _judged(run, after)}
    version = given.expected_version or before.get("version")
    body = {name: value for name, value in after.items() if name not in _STORED}
    path = f"/workflows/{segment(given.workflow_id)}"
    answer = await run.api.answer("PUT", path, body=body, headers={"If-Match": f'"{version}"'})
    saved = answer.data if isinstance(answer.data, dict) else {}
    return {"saved": True, **_told(saved), "difference": found, **await _judged(run, saved)}


def _told(saved: dict[str, Json]) -> dict[str, Json]:
    return {name: saved.get(name) for name in ("id", "name", "version", "active")}


async def _judged(run: ToolRun, document: dict[str, Json]) -> dict[str, Json]:
    judged = await problems_of(run.api, document)
    return {name: judged[name] for name in ("valid", "activatable", "problems", "starts") if name in judged}


async def _activate(run: ToolRun, given: WorkflowArguments) -> Json:
    return await run.api.ask("POST", f"/workflows/{segment(given.workflow_id)}/activate")


async def _deactivate(run: ToolRun, given: WorkflowArguments) -> Json:
    return await run.api.ask("POST", f"/workflows/{segment(given.workflow_id)}/deactivate")


async def _delete(run: ToolRun, given: WorkflowArguments) -> Json:
    await run.api.ask("DELETE", f"/workflows/{segment(given.workflow_id)}")
    return {"deleted": given.workflow_id}


_WRITE = ("workflows:read", "workflows:write")
CHANGE_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "create_workflow",
        "Create a workflow",
        "Save a new workflow, which is not live, and tell its id and its problems.",
        _WRITE,
        CreateWorkflowArguments,
        _create,
    ),
    McpTool(
        "change_workflow",
        "Change a workflow",
        "Change a saved workflow by operations, all or none: add_node, update_node, remove_node, rename_node, connect, "
        "disconnect, enable_node, disable_node, set_settings, set_name, pin_data. Tells the difference and the "
        "problems. A live workflow changes at once; earlier versions are kept.",
        _WRITE,
        ChangeWorkflowArguments,
        _change,
        destroys=True,
    ),
    McpTool(
        "activate_workflow",
        "Take a workflow live",
        "Take a workflow live: from now on its triggers start it, with the rights of its author.",
        _WRITE,
        WorkflowArguments,
        _activate,
        repeatable=True,
        outward=True,
    ),
    McpTool(
        "deactivate_workflow",
        "Take a workflow off",
        "Take a workflow off: its triggers start it no more.",
        _WRITE,
        WorkflowArguments,
        _deactivate,
        destroys=True,
        repeatable=True,
    ),
    McpTool(
        "delete_workflow",
        "Delete a workflow",
        "Delete a workflow with its versions and routes, for good.",
        _WRITE,
        WorkflowArguments,
        _delete,
        destroys=True,
        repeatable=True,
    ),
)
