"""`/executions`: list, read, delete, retry, cancel, count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, DataDamaged, NotFound
from jackfield.api.http import SAVED, json_response, operation, principal, read_query
from jackfield.api.storage import EXECUTION_STATUSES, ExecutionFilter
from jackfield_workflows.history.actions import ExecutionActions
from jackfield_workflows.history.contents import content_of, executed_document, file_of, link_to
from jackfield_workflows.history.views import execution_body, execution_row_view, items_body
from jackfield_workflows.routes.files import elsewhere, file_answer, may_leave
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.routes.requests import page_view

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import (
        CountQuery,
        ExecutionQuery,
        ExecutionsQuery,
        FileQuery,
        ItemsQuery,
        RetryQuery,
    )

TAGS = ("executions",)


class ExecutionRoutes:
    """Views on stored executions."""

    name = "executions"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._actions = ExecutionActions(context)

    def routes(self) -> Sequence[Route]:
        one = "/executions/<execution_id>"
        return (
            ("GET", "/executions", self.list_executions),
            ("GET", "/executions/stats", self.count_executions),
            ("GET", one, self.get_execution),
            ("GET", f"{one}/items", self.list_items),
            ("GET", f"{one}/file", self.get_file),
            ("GET", f"{one}/workflow", self.get_workflow),
            ("DELETE", one, self.delete_execution),
            ("POST", f"{one}/retry", self.retry_execution),
            ("POST", f"{one}/cancel", self.cancel_execution),
        )

    @operation(
        "List executions, newest first",
        scope="executions:read",
        query=schema("ExecutionsQuery"),
        response=schema("ExecutionPage"),
        tags=TAGS,
    )
    async def list_executions(self) -> Response:
        page: ExecutionsQuery = read_query(schema("ExecutionsQuery"))
        found = await self._context.store.executions(_filter(page), offset=page.offset, limit=page.limit)
        return json_response(page_view([execution_row_view(row) for row in found.rows], found.total, page))

    @operation(
        "Count executions by status",
        scope="executions:read",
        query=schema("CountQuery"),
        response=schema("Counts"),
        tags=TAGS,
    )
    async def count_executions(self) -> Response:
        found = await self._context.store.execution_stats(_filter(read_query(schema("CountQuery"))))
        counts: dict[str, int] = {status: found.get(status, 0) for status in EXECUTION_STATUSES}
        return json_response({"total": sum(counts.values()), **counts})

    @operation(
        "Read an execution with its node runs; `items`: with the first items of each output and their number",
        scope="executions:read",
        query=schema("ExecutionQuery"),
        response=schema("ExecutionShown"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_execution(self, execution_id: str) -> Response:
        query: ExecutionQuery = read_query(schema("ExecutionQuery"))
        stored = await self._actions.whole(execution_id)
        return Response(await execution_body(stored, query.items), content_type="application/json")

    @operation(
        "List the items of one output of a node run",
        operation_id="listExecutionItems",
        scope="executions:read",
        query=schema("ItemsQuery"),
        response=schema("ItemPage"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def list_items(self, execution_id: str) -> Response:
        query: ItemsQuery = read_query(schema("ItemsQuery"))
        stored = await self._actions.whole(execution_id)
        found = await items_body(stored, query.run, query.output, query.offset, query.limit)
        if found is None:
            raise NotFound("The execution has no node run with this index, or not this output.")
        return Response(found, content_type="application/json")

    @operation(
        "Read a file of an item",
        scope="executions:read",
        query=schema("FileQuery"),
        tags=TAGS,
        errors=(DataDamaged,),
        media=("application/octet-stream",),
        also=(307,),
        headers={**SAVED, "Location": "With 307 alone: where the file is, for a short time."},
    )
    async def get_file(self, execution_id: str) -> Response:
        query: FileQuery = read_query(schema("FileQuery"))
        stored = await self._actions.whole(execution_id)
        file = await file_of(stored, query.run, query.output, query.item, query.name)
        if may_leave() and (address := await link_to(self._context, execution_id, file)):
            return elsewhere(address)
        return file_answer(file, await content_of(self._context, execution_id, file))

    @operation(
        "Read the workflow as it ran in an execution",
        operation_id="getExecutedWorkflow",
        scope="workflows:read",
        response=schema("WorkflowDocument"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_workflow(self, execution_id: str) -> Response:
        principal().require("executions:read")  # of a run that was not saved, the document is the execution's own
        return json_response(await executed_document(self._context, await self._actions.find(execution_id)))

    @operation("Delete an execution that is over", scope="workflows:write", status=204, tags=TAGS, errors=(Conflict,))
    async def delete_execution(self, execution_id: str) -> Response:
        await self._actions.delete(execution_id)
        return Response(status=204)

    @operation(
        "Run an execution again: from its original input, from=failed or from=node&node=NAME",
        scope="workflows:execute",
        query=schema("RetryQuery"),
        response=schema("Submitted"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
        headers={"Location": "Path of the new execution."},
    )
    async def retry_execution(self, execution_id: str) -> Response:
        query: RetryQuery = read_query(schema("RetryQuery"))
        stored = await self._actions.whole(execution_id)
        execution = await self._actions.retry(stored, query.start or "start", query.node or "")
        body = {"executionId": execution.id, "status": "queued", "mode": "retry", "retryOf": stored.row.id}
        response = json_response(body, 201)
        response.headers["Location"] = f"/api/v1/executions/{execution.id}"
        return response

    @operation(
        "Cancel an open execution",
        scope="workflows:execute",
        response=schema("Submitted"),
        status=202,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def cancel_execution(self, execution_id: str) -> Response:
        row = (await self._actions.cancel(execution_id)).row
        return json_response({"executionId": row.id, "status": row.status}, 202)


def _filter(query: CountQuery) -> ExecutionFilter:
    return ExecutionFilter(
        workflow_id=query.workflowId, status=query.status, mode=query.mode, since=query.since, until=query.until
    )
