"""`/workflows/{id}/execute`, `execute-async` and `/workflows/run`: run a workflow by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from quart import Response, request

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Durability, Engine, Execution, ExecutionRequest, Outcome
from jackfield.api.errors import Conflict, ExecutionTimeout, InvalidInput, JackfieldError
from jackfield.api.history import stored_json
from jackfield.api.http import (
    json_response,
    long_json_response,
    operation,
    parse_model,
    principal,
    read_json,
    read_query,
    request_id,
    taken_memory,
)
from jackfield.api.ids import new_id
from jackfield.api.json_slices import written
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.items import is_long
from jackfield.api.object_references import load
from jackfield.api.profile_tools import reach_of
from jackfield.api.records import replace
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import StoredExecution
from jackfield.api.tracing import named_span
from jackfield.api.workflows import Items, Workflow
from jackfield_workflows.history.actions import ExecutionActions
from jackfield_workflows.history.views import execution_body, failure_view
from jackfield_workflows.routes.groups import Route, payload, schema
from jackfield_workflows.routes.requests import read_optional_json
from jackfield_workflows.saved.starting import StartRights
from jackfield_workflows.settings import WorkflowsSettings
from jackfield_workflows.starts import chosen_end, chosen_start, read_items, start_items

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import RunBody, RunQuery

TAGS = ("workflows",)
WITH_DATA = "jackfield_workflows.history.reuse:with_data_of"
WithData: TypeAlias = "Callable[[PluginContext, StoredExecution, ExecutionRequest], Awaitable[ExecutionRequest]]"


class RunRoutes:
    """Views that start executions in mode manual.

    The query may name the node to `start` at and the one that it runs `until`, and an execution whose data it may
    `reuse`.
    """

    name = "workflow_runs"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._timeout = context.settings(WorkflowsSettings).execute_timeout
        self._rights = StartRights(context)
        self._actions = ExecutionActions(context)

    def routes(self) -> Sequence[Route]:
        return (
            ("POST", "/workflows/run", self.run_workflow),
            ("POST", "/workflows/run-async", self.start_unsaved),
            ("POST", "/workflows/<workflow_id>/execute", self.execute_workflow),
            ("POST", "/workflows/<workflow_id>/execute-async", self.start_workflow),
        )

    @operation(
        "Run a workflow and answer with the finished execution",
        scope="workflows:execute",
        query=schema("RunQuery"),
        request=schema("InputData"),
        response=schema("ExecutionShown"),
        tags=TAGS,
        errors=(Conflict, ExecutionTimeout),
        body_optional=True,
    )
    async def execute_workflow(self, workflow_id: str) -> Response:
        workflow = await self._context.port(WorkflowReader).load(workflow_id)
        execution = await self._submit(workflow, await _items(await read_optional_json()), "finish")
        await self._end(execution)
        stored = await self._context.store.execution(execution.id)
        if stored is None:
            raise JackfieldError("The execution was deleted before it could be read.")
        return Response(
            await execution_body(await with_outputs(self._context, stored)), content_type="application/json"
        )

    @operation(
        "Start a workflow and answer once its execution is stored",
        operation_id="executeWorkflowAsync",
        scope="workflows:execute",
        query=schema("RunQuery"),
        request=schema("InputData"),
        response=schema("Submitted"),
        status=202,
        tags=TAGS,
        errors=(Conflict,),
        body_optional=True,
    )
    async def start_workflow(self, workflow_id: str) -> Response:
        workflow = await self._context.port(WorkflowReader).load(workflow_id)
        execution = await self._submit(workflow, await _items(await read_optional_json()), "accept")
        return await _queued(execution, workflow_id)

    @operation(
        "Run a workflow that is not saved",
        scope="workflows:execute",
        query=schema("RunQuery"),
        request=schema("RunBody"),
        response=schema("RunShown"),
        tags=TAGS,
        errors=(Conflict, ExecutionTimeout),
    )
    async def run_workflow(self) -> Response:
        execution = await self._unsaved("finish")
        outcome = await self._end(execution)
        view: dict[str, Json] = {"executionId": execution.id, "status": outcome.status, "data": outcome.items}  # type: ignore[dict-item]
        if outcome.failure is not None:
            view["error"] = failure_view(outcome.failure)
        return await long_json_response(view) if is_long([outcome.items]) else json_response(view)

    @operation(
        "Start a workflow that is not saved and answer once its execution is stored",
        operation_id="runWorkflowAsync",
        scope="workflows:execute",
        query=schema("RunQuery"),
        request=schema("RunBody"),
        response=schema("Submitted"),
        status=202,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def start_unsaved(self) -> Response:
        execution = await self._unsaved("accept")
        return await _queued(execution, None)

    async def _unsaved(self, durability: Durability) -> Execution:
        """Nothing of the body is kept here while the execution runs."""
        body: RunBody = parse_model(payload("RunBody"), await read_json())
        return await self._submit(await self._parsed(body.workflow), await _input_data(body.inputData), durability)

    async def _parsed(self, document: dict[str, Json]) -> Workflow:
        try:
            return await self._context.port(WorkflowReader).parse_unsaved(document)
        except InvalidInput as exc:
            details = {f"workflow.{path}": message for path, message in (exc.details or {}).items()}
            raise InvalidInput(exc.message, details=details) from None

    async def _submit(self, workflow: Workflow, items: Items | None, durability: Durability) -> Execution:
        await self._rights.check(workflow, principal())
        query: RunQuery = read_query(schema("RunQuery"))
        until = chosen_end(workflow, query.until)
        start = chosen_start(workflow, query.start, self._context.port(NodeCatalog), until)
        memory, execution_id = taken_memory(), new_id()
        given: Items = []
        if not query.reuse:
            given = await start_items(self._context, workflow, start, items, execution_id)
        wanted = ExecutionRequest(
            workflow=workflow,
            mode="manual",
            start=start,
            items=given,
            use_pin_data=True,
            until=until,
            durability=durability,
            request_id=request_id() or None,
            encoded=None if memory is None else await asyncio.to_thread(written, given, stored_json),
            memory=memory,
            id=execution_id,
            depth=0 if (reach := reach_of(principal())) is None else reach.depth,
            caller=named_span(self._context, request.scope["headers"]),
        )
        if query.reuse:
            principal().require("executions:read")  # what it takes is in the answer
            if items is not None or query.start:
                message = "leave it out, or leave out start and input: the execution's own are taken"
                raise InvalidInput("A run that reuses data begins as that execution did.", details={"reuse": message})
            load_request = cast("WithData", load(WITH_DATA))
            wanted = await load_request(self._context, await self._actions.whole(query.reuse), wanted)
            if wanted.items is given:  # it has nothing that could be taken
                found = await start_items(self._context, workflow, start, None, execution_id)
                wanted = replace(wanted, items=found, encoded=None)
        if workflow.id is None:
            await self._rights.place_run(execution_id)
        return self._context.port(Engine).submit(wanted)

    async def _end(self, execution: Execution) -> Outcome:
        """The end, once it is stored. Raises `ExecutionTimeout`, after which the execution goes on."""
        try:
            outcome = await asyncio.wait_for(asyncio.shield(execution.finished), self._timeout)
        except TimeoutError:
            raise ExecutionTimeout(
                f"The workflow did not end within {self._timeout:g} seconds; it goes on running.",
                extra={"executionId": execution.id},
            ) from None
        await asyncio.shield(execution.stored)
        return outcome


async def _queued(execution: Execution, workflow_id: str | None) -> Response:
    """The answer once the execution is stored. workflow_id: as it tells it."""
    await asyncio.shield(execution.accepted)
    return json_response({"executionId": execution.id, "workflowId": workflow_id, "status": "queued"}, 202)


async def _items(body: Json) -> Items | None:
    """As `read_items`; of a large body on a thread."""
    return read_items(body) if taken_memory() is None else await asyncio.to_thread(read_items, body)


async def _input_data(value: Json) -> Items | None:
    return None if value is None or value == {} else await _items({"inputData": value})
