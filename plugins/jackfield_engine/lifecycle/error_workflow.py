"""The error workflow runs when an automatic execution or a trigger fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, ExecutionRequest, Outcome
from jackfield.api.errors import JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.projects import reaching, run_reach
from jackfield.api.workflows import Item, Workflow
from jackfield_engine.lifecycle.callers import refusal
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.shared.services import Services

AUTOMATIC = frozenset({"webhook", "trigger", "retry", "sub"})
TRIGGER = "errorTrigger"


async def start_error_workflow(
    services: Services, begin: Callable[[ExecutionRequest, str], object], run: LiveRun, outcome: Outcome
) -> None:
    """Queue the error execution before the failure is stored, so that a crash between the two cannot swallow it.
    `begin`: starts an execution under an id."""
    request = run.request
    if request.mode not in AUTOMATIC or request.depth >= services.settings.max_depth:
        return
    try:
        workflow = await _workflow(services.context, request.workflow)
        start = None if workflow is None else trigger_of(workflow)
        if workflow is None or start is None:
            return
        items = [error_item(services, run, outcome)]
        error = ExecutionRequest(
            workflow,
            "error",
            start,
            items,
            depth=request.depth + 1,
            request_id=request.request_id,
            hidden=run.disk.hidden or None,
        )
        begin(error, new_id())
    except JackfieldError as exc:
        services.context.log.error("the error workflow of execution %s did not start: %s", run.id, exc.message)


class EngineErrorWorkflows:
    """`ErrorWorkflows`"""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def trigger_failed(self, workflow: Workflow, node: str, message: str) -> bool:
        """See the port."""
        found = await _workflow(self._context, workflow)
        start = None if found is None else trigger_of(found)
        if found is None or start is None:
            return False
        error: dict[str, Json] = {"message": message, "name": "NodeError", "stack": message, "node": {"name": node}}
        told: dict[str, Json] = {"error": error, "mode": "trigger"}
        item: Item = {"json": {"trigger": told, "workflow": {"id": workflow.id, "name": workflow.name}}}
        execution = self._context.port(Engine).submit(ExecutionRequest(found, "error", start, [item], depth=1))
        await asyncio.shield(execution.accepted)
        return True


async def _workflow(context: PluginContext, failed: Workflow) -> Workflow | None:
    named = failed.settings.error_workflow
    if named is not None and named != failed.id:
        with reaching(run_reach(failed.id)):
            found = await context.port(WorkflowReader).load(named)
        if reason := refusal(found, failed.id):
            context.log.warning("the error workflow %s does not let %s run it: %s", named, failed.id, reason)
            return None
        return found
    return failed if trigger_of(failed) is not None else None


def trigger_of(workflow: Workflow) -> str | None:
    """The Error Trigger's name."""
    return next((name for name, node in workflow.nodes.items() if node.kind == TRIGGER and not node.disabled), None)


def error_item(services: Services, run: LiveRun, outcome: Outcome) -> Item:
    failure = outcome.failure
    message = failure.message if failure is not None else "The execution failed."
    error: dict[str, Json] = {"message": message, "name": "NodeError", "stack": message}
    if failure is not None and failure.node is not None:
        error["node"] = {"name": failure.node}
    execution: dict[str, Json] = {
        "id": run.id,
        "url": f"{services.context.service.public_url}/api/v1/executions/{run.id}",
        "error": error,
        "lastNodeExecuted": outcome.last_node,
        "mode": run.request.mode,
    }
    if run.request.retry_of is not None:
        execution["retryOf"] = run.request.retry_of
    workflow = run.request.workflow
    return {"json": {"execution": execution, "workflow": {"id": workflow.id, "name": workflow.name}}}
