"""Tools that read executions of the draft and of its workflow, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

from pydantic import Field

from jackfield.api.failure_reports import explained
from jackfield.api.json_values import Json
from jackfield_copilot.tools.tool import AnyDraftTool, BoundCall, DraftArguments, DraftTool, Ident

_USAGE = ("usage", "tokenUsage", "token_usage", "usageMetadata")
"""Keys under which nodes of models and agents tell what they have used."""
_DEEPEST = 6
_MOST_FOUND = 50


class ListExecutions(DraftArguments):
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class GetExecution(DraftArguments):
    execution_id: Ident
    items: Annotated[int, Field(ge=0, le=50)] = Field(3, description="The most items of each output.")
    node: Ident | None = Field(None, description="Only the runs of this node.")


class ExplainFailure(DraftArguments):
    execution_id: Ident | None = Field(None, description="Default: the one that the draft is to repair.")
    items: Annotated[int, Field(ge=0, le=50)] = Field(3, description="The most items of the node's input.")


class GetCosts(DraftArguments):
    execution_id: Ident | None = Field(None, description="Default: the latest five executions of the workflow.")


async def _list(bound: BoundCall, given: ListExecutions) -> Json:
    draft = await bound.draft()
    rows: Json = []
    if draft.workflow_id is not None:
        query = {"workflowId": draft.workflow_id, "limit": str(given.limit)}
        rows = (await bound.ask("GET", "/executions", query=query)).get("data")
    return {"ofTheWorkflow": rows, "ofTheDraft": list[Json](draft.runs), "toMend": draft.origin.execution}


async def _get(bound: BoundCall, given: GetExecution) -> Json:
    path = await bound.own_execution(given.execution_id)
    found = await bound.ask("GET", path, query={"items": str(given.items)})
    nodes = found.get("nodes")
    if given.node is None or not isinstance(nodes, dict):
        return found
    return {**found, "data": None, "nodes": {name: runs for name, runs in nodes.items() if name == given.node}}


async def _explain(bound: BoundCall, given: ExplainFailure) -> Json:
    execution = given.execution_id or (await bound.draft()).origin.execution
    if execution is None:
        return {"explanation": "The draft repairs no execution; name one of list_draft_executions."}
    return await explained(bound.ask, await bound.own_execution(execution), given.items)


async def _costs(bound: BoundCall, given: GetCosts) -> Json:
    draft = await bound.draft()
    if given.execution_id is not None:
        chosen = [given.execution_id]
    elif draft.workflow_id is not None:
        query = {"workflowId": draft.workflow_id, "limit": "5"}
        rows = (await bound.ask("GET", "/executions", query=query)).get("data")
        chosen = [str(row["id"]) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    else:
        chosen = list(draft.runs[-5:])
    return {"executions": [await _cost(bound, execution) for execution in chosen]}


async def _cost(bound: BoundCall, execution: str) -> Json:
    path = await bound.own_execution(execution)
    found = await bound.ask("GET", path, query={"items": "50"})
    nodes = found.get("nodes")
    told: dict[str, Json] = {name: found.get(name) for name in ("id", "status", "mode", "startedAt", "finishedAt")}
    per_node = {name: _node(runs) for name, runs in nodes.items()} if isinstance(nodes, dict) else {}
    return {**told, "nodes": cast("Json", per_node)}


_MEASURES = ("startedAt", "durationMs", "duration", "executionTime", "counts", "status", "tries")


def _node(runs: Json) -> Json:
    """Time and items of each run, and what its outputs say of tokens and money."""
    made: list[Json] = []
    for run in runs if isinstance(runs, list) else ():
        if isinstance(run, dict):
            measures: dict[str, Json] = {name: run[name] for name in _MEASURES if name in run}
            usage = [one for _, one in zip(range(_MOST_FOUND), _usages(run.get("outputs"), 0), strict=False)]
            made.append({**measures, **({"usage": usage} if usage else {})})
    return made


def _usages(value: Any, level: int) -> Iterator[Json]:  # JSON
    if level > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in _USAGE and isinstance(inner, dict):
                yield inner
            else:
                yield from _usages(inner, level + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _usages(inner, level + 1)


LOOKING_TOOLS: tuple[AnyDraftTool, ...] = (
    DraftTool(
        "list_draft_executions",
        "List executions",
        "List executions of the workflow, the newest first, runs of the draft, and the failure that is to be repaired.",
        ListExecutions,
        _list,
        reads=True,
    ),
    DraftTool(
        "get_draft_execution",
        "Read an execution",
        "Read an execution of the draft or of its workflow: status, failure, and each node's runs with the first items "
        "of each output.",
        GetExecution,
        _get,
        reads=True,
    ),
    DraftTool(
        "explain_draft_failure",
        "Explain a failure",
        "Tell why an execution failed. You get the failing node with its parameters, each expression with what it "
        "gives on that execution's data, the node's input items, and the error.",
        ExplainFailure,
        _explain,
        reads=True,
    ),
    DraftTool(
        "get_draft_costs",
        "Tell costs",
        "Tell by node what executions took: time, items, and tokens and money where nodes of models and agents tell "
        "them.",
        GetCosts,
        _costs,
        reads=True,
    ),
)
