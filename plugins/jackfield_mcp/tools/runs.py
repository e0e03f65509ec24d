"""Runs: a workflow is started and waited for; retry and cancel."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from jackfield.api.containment import passes
from jackfield.api.errors import JackfieldError
from jackfield.api.events import Subscription
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import FEWER, Ident
from jackfield_mcp.tools.workflows import Document

OVER = frozenset({"success", "failed", "cancelled"})
_LOOK = 1.0
"""Seconds between two looks at an execution whose end no event tells, such as one at another daemon."""
_SOON = 0.001
"""The same once an event has told of it, after a look at once; it doubles."""
_ITEMS = Annotated[int, Field(ge=0, le=100)]
_SECONDS = Annotated[float, Field(ge=0, le=86_400)]


class WaitingArguments(ToolArguments):
    wait_seconds: _SECONDS | None = Field(
        None, description="How long to wait for the end; then the execution goes on. 0: not at all. Default: mcp.wait."
    )
    items: _ITEMS = Field(3, description=FEWER)


class RunWorkflowArguments(WaitingArguments):
    workflow_id: Ident | None = Field(None, description="A saved workflow; or give `workflow`.")
    workflow: Document | None = Field(None, description="A document that is run without being saved.")
    input: list[dict[str, Any]] | None = Field(  # JSON
        None,
        max_length=10_000,
        description='Items for the node that starts, such as {"name": "x"} or {"json": {"name": "x"}}.',
    )
    start: Ident | None = Field(None, description="Name of the node to start at. Default: the trigger.")
    until: Ident | None = Field(None, description="Name of the node to end at.")

    @model_validator(mode="after")
    def _is_one(self) -> RunWorkflowArguments:
        if (self.workflow_id is None) == (self.workflow is None):
            raise ValueError("give workflow_id or workflow, one of them")
        return self


class RetryExecutionArguments(WaitingArguments):
    execution_id: Ident
    begin: Literal["start", "failed", "node"] = Field(
        "failed", description="Where: at the start, at the node that failed, or at `node`."
    )
    node: Ident | None = Field(None, description="Name of the node, with begin=node.")


class CancelExecutionArguments(ToolArguments):
    execution_id: Ident


async def _run(run: ToolRun, given: RunWorkflowArguments) -> Json:
    query = {"start": given.start, "until": given.until}
    items: Json = None if given.input is None else [_item(item) for item in given.input]
    if given.workflow is not None:
        path = "/workflows/run-async"
        body: dict[str, Json] = {"workflow": given.workflow, **({"inputData": items} if items else {})}
    else:
        path = f"/workflows/{segment(given.workflow_id or '')}/execute-async"
        body = {} if items is None else {"inputData": items}
    with run.context.events.subscribe("workflows") as events:
        begun = await run.api.mapping("POST", path, query=query, body=body or None)
        return await _ended(run, str(begun.get("executionId")), given, events)


def _item(item: dict[str, Any]) -> Json:  # JSON
    return item if isinstance(item.get("json"), dict) else {"json": item}


async def _retry(run: ToolRun, given: RetryExecutionArguments) -> Json:
    query = {"from": given.begin, "node": given.node}
    with run.context.events.subscribe("workflows") as events:
        path = f"/executions/{segment(given.execution_id)}/retry"
        begun = await run.api.mapping("POST", path, query=query)
        return await _ended(run, str(begun.get("executionId")), given, events)


async def _ended(run: ToolRun, ident: str, given: WaitingArguments, events: Subscription) -> Json:
    """The execution once it is over, or when the time is up. Cancelling the call cancels the execution."""
    wanted = run.settings.wait if given.wait_seconds is None else given.wait_seconds
    deadline = asyncio.get_running_loop().time() + min(wanted, run.settings.wait_most)
    told, pause = False, 0.0
    try:
        while (left := deadline - asyncio.get_running_loop().time()) > 0:
            if told:  # the event comes before the end is stored
                await asyncio.sleep(min(left, pause))
                pause = min(max(pause * 2, _SOON), _LOOK)
            else:
                told = await _told_end(events, ident, min(left, _LOOK))
            found = await run.api.mapping("GET", f"/executions/{segment(ident)}", query={"items": given.items})
            if found.get("status") in OVER or (found.get("status") == "waiting" and "resumeAt" not in found):
                return found
    except BaseException as exc:
        if passes(exc):
            await _cancelled(run, ident)
        raise
    found = await run.api.mapping("GET", f"/executions/{segment(ident)}", query={"items": given.items})
    return {**found, "note": "The execution goes on; ask get_execution later."}


async def _told_end(events: Subscription, ident: str, timeout: float) -> bool:
    """Whether an event has told the end within that many seconds."""

    async def heard() -> bool:
        async for event in events:
            if event.type in ("execution.finished", "execution.waiting") and event.data.get("id") == ident:
                return True
        return False

    try:
        return await asyncio.wait_for(heard(), timeout)
    except TimeoutError:
        return False


async def _cancelled(run: ToolRun, ident: str) -> None:
    task = asyncio.ensure_future(run.api.ask("POST", f"/executions/{segment(ident)}/cancel"))
    try:
        await asyncio.shield(task)
    except (asyncio.CancelledError, JackfieldError):
        await asyncio.wait({task})


async def _cancel(run: ToolRun, given: CancelExecutionArguments) -> Json:
    return await run.api.ask("POST", f"/executions/{segment(given.execution_id)}/cancel")


_RUN = ("workflows:execute", "executions:read")
RUN_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "run_workflow",
        "Run a workflow",
        "Run a saved workflow, or a document that is not saved, with input, and wait for the end. You get the "
        "status, the failure, and the first items of each node. Its nodes do what they do: a node that sends, sends.",
        _RUN,
        RunWorkflowArguments,
        _run,
        destroys=True,
        outward=True,
    ),
    McpTool(
        "retry_execution",
        "Run an execution again",
        "Run an execution again, from the node that failed by default, and wait for the end.",
        _RUN,
        RetryExecutionArguments,
        _retry,
        destroys=True,
        outward=True,
    ),
    McpTool(
        "cancel_execution",
        "Cancel an execution",
        "Cancel an execution that is queued, running or waiting.",
        ("workflows:execute",),
        CancelExecutionArguments,
        _cancel,
        destroys=True,
        repeatable=True,
    ),
)
