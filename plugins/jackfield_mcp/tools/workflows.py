"""Saved workflows and templates: listed, read, checked, compared."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield.api.mcp.tool_sources import ToolFailed
from jackfield.api.workflow_edits.diffs import difference
from jackfield_mcp.caller import ApiCaller, segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident, Nothing, PageArguments

Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
Document = dict[str, Any]  # a workflow document


class ListWorkflowsArguments(PageArguments):
    search: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="A part of the name, of a tag, or of a node's name, type or note."
    )
    active: bool | None = Field(None, description="Only live ones, or only those that are not.")


class GetWorkflowArguments(ToolArguments):
    workflow_id: Ident
    version: Version | None = Field(None, description="Default: the current one.")


class ValidateWorkflowArguments(ToolArguments):
    workflow: Document = Field(description="name, nodes, connections, settings: n8n's workflow JSON.")


class DiffWorkflowArguments(ToolArguments):
    workflow_id: Ident
    before: Version = Field(description="The number of a version.")
    after: Version | None = Field(None, description="Default: the current one.")


class GetTemplateArguments(ToolArguments):
    template_id: Ident


async def _list(run: ToolRun, given: ListWorkflowsArguments) -> Json:
    query = {"search": given.search, "active": given.active, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", "/workflows", query=query)


async def document_of(api: ApiCaller, workflow_id: str, version: int | None = None) -> dict[str, Json]:
    path = f"/workflows/{segment(workflow_id)}"
    found = await api.ask("GET", path if version is None else f"{path}/versions/{version}")
    if not isinstance(found, dict):
        raise ToolFailed("The workflow cannot be read.")
    return found


async def _get(run: ToolRun, given: GetWorkflowArguments) -> Json:
    return await document_of(run.api, given.workflow_id, given.version)


async def problems_of(api: ApiCaller, document: dict[str, Json]) -> dict[str, Json]:
    return await api.mapping("POST", "/workflows/validate", body=document)


async def _validate(run: ToolRun, given: ValidateWorkflowArguments) -> Json:
    return await problems_of(run.api, given.workflow)


async def _diff(run: ToolRun, given: DiffWorkflowArguments) -> Json:
    before = await document_of(run.api, given.workflow_id, given.before)
    after = await document_of(run.api, given.workflow_id, given.after)
    return {"before": before.get("version"), "after": after.get("version"), **difference(before, after)}


async def _versions(run: ToolRun, given: GetWorkflowArguments) -> Json:
    return await run.api.ask("GET", f"/workflows/{segment(given.workflow_id)}/versions", query={"limit": 50})


async def _templates(run: ToolRun, given: Nothing) -> Json:
    return await run.api.ask("GET", "/workflow-templates")


async def _template(run: ToolRun, given: GetTemplateArguments) -> Json:
    return await run.api.ask("GET", f"/workflow-templates/{segment(given.template_id)}")


_READ = ("workflows:read",)
WORKFLOW_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_workflows",
        "List workflows",
        "List saved workflows, without their nodes.",
        _READ,
        ListWorkflowsArguments,
        _list,
        reads=True,
    ),
    McpTool(
        "get_workflow",
        "Read a workflow",
        "Read a workflow's document, secrets masked.",
        _READ,
        GetWorkflowArguments,
        _get,
        reads=True,
    ),
    McpTool(
        "list_workflow_versions",
        "List a workflow's versions",
        "List the versions of a workflow, the newest first.",
        _READ,
        GetWorkflowArguments,
        _versions,
        reads=True,
    ),
    McpTool(
        "validate_workflow",
        "Check a workflow",
        "Say what is wrong with a document without saving it: errors, what keeps it from going live, warnings, and "
        "what would start it.",
        _READ,
        ValidateWorkflowArguments,
        _validate,
        reads=True,
    ),
    McpTool(
        "diff_workflow",
        "Compare versions",
        "Tell the difference between two versions of a workflow: nodes, parameters, wires, settings.",
        _READ,
        DiffWorkflowArguments,
        _diff,
        reads=True,
    ),
    McpTool("list_templates", "List templates", "List templates of workflows.", _READ, Nothing, _templates, reads=True),
    McpTool(
        "get_template",
        "Read a template",
        "Read a template with its workflow, which create_workflow takes as it is.",
        _READ,
        GetTemplateArguments,
        _template,
        reads=True,
    ),
)
