"""Webhooks, their calls, and calls that are tried."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield_mcp.caller import segments
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident, PageArguments


class ListWebhooksArguments(PageArguments):
    workflow_id: Ident | None = None
    active: bool | None = Field(None, description="Only live ones, or only those that are not.")


class ListWebhookCallsArguments(PageArguments):
    webhook_id: Ident = Field(description="Its id or its path.")
    status: Literal["success", "failed", "running", "rejected"] | None = None


class CheckWebhookCallArguments(ToolArguments):
    webhook_id: Ident = Field(description="Its id or its path.")
    method: Annotated[str, Field(max_length=20)] | None = Field(None, description="Default: the webhook's own.")
    headers: dict[str, str] = Field(default_factory=dict)
    query: dict[str, str] = Field(default_factory=dict)
    body: Any = Field(None, description="A text as sent, or JSON.")  # JSON


class TryWebhookCallArguments(CheckWebhookCallArguments):
    """The same, and the workflow runs."""


async def _list(run: ToolRun, given: ListWebhooksArguments) -> Json:
    query = {"workflowId": given.workflow_id, "active": given.active, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", "/webhooks", query=query)


async def _calls(run: ToolRun, given: ListWebhookCallsArguments) -> Json:
    query = {"status": given.status, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", f"/webhooks/{segments(given.webhook_id)}/history", query=query)


async def _check(run: ToolRun, given: CheckWebhookCallArguments) -> Json:
    return await _tested(run, given, {})


async def _try(run: ToolRun, given: TryWebhookCallArguments) -> Json:
    return await _tested(run, given, {"send": True})


async def _tested(run: ToolRun, given: CheckWebhookCallArguments, more: dict[str, Json]) -> Json:
    body: dict[str, Json] = {"headers": dict(given.headers), "query": dict(given.query), "body": given.body, **more}
    if given.method is not None:
        body["method"] = given.method
    return await run.api.ask("POST", f"/webhooks/{segments(given.webhook_id)}/test", body=body)


_READ = ("webhooks:read",)
WEBHOOK_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_webhooks",
        "List webhooks",
        "List webhooks with their paths and methods.",
        _READ,
        ListWebhooksArguments,
        _list,
        reads=True,
    ),
    McpTool(
        "list_webhook_calls",
        "List calls of a webhook",
        "List the calls that a webhook got, the newest first, with their status and execution.",
        _READ,
        ListWebhookCallsArguments,
        _calls,
        reads=True,
    ),
    McpTool(
        "check_webhook_call",
        "Check a webhook call",
        "Say whether a webhook would take a call, and why not. Nothing runs.",
        _READ,
        CheckWebhookCallArguments,
        _check,
        reads=True,
    ),
    McpTool(
        "try_webhook_call",
        "Try a webhook call",
        "Make a call at a webhook's test address, so that its workflow runs as a test, and tell the answer.",
        ("webhooks:read", "workflows:execute"),
        TryWebhookCallArguments,
        _try,
        destroys=True,
        outward=True,
    ),
)
