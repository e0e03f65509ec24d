"""n8n's `/executions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, DataDamaged, NotFound
from jackfield.api.http import json_response, operation, parse_model, read_model, read_query
from jackfield.api.json_slices import written
from jackfield.api.jsontext import Json, dumps
from jackfield.api.n8n_pages import Cursor, asked_cursor, page
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import ExecutionFilter, ExecutionRow, StoredExecution
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.history.actions import ExecutionActions
from jackfield_workflows.history.views import rendered
from jackfield_workflows.n8n_api.forms import n8n_model, n8n_schema
from jackfield_workflows.n8n_api.run_data import whole_execution
from jackfield_workflows.n8n_api.views import STATUS_WORDS, execution_view
from jackfield_workflows.n8n_api.workflows import PAGE_BYTES
from jackfield_workflows.routes.groups import Route
from jackfield_workflows.routes.requests import read_optional_json

if TYPE_CHECKING:
    from jackfield_workflows.n8n_api.schemas import N8nExecutionQuery, N8nExecutionsQuery, RetryBody, StopBody

TAGS = ("n8n executions",)
OUR_STATUSES: Mapping[str, str] = {word: status for status, word in STATUS_WORDS.items()}
NEVER = ("crashed", "unknown")
"""Statuses of n8n that no execution has here."""
STOP_PAGE = 100


class N8nExecutions:
    """Views on stored executions."""

    name = "n8n_executions"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._actions = ExecutionActions(context)
        self._secrets = SecretParameters(context)

    def routes(self) -> Sequence[Route]:
        one = "/executions/<execution_id>"
        return (
            ("GET", "/executions", self.list_executions),
            ("POST", "/executions/stop", self.stop_executions),
            ("GET", one, self.get_execution),
            ("DELETE", one, self.delete_execution),
            ("POST", f"{one}/stop", self.stop_execution),
            ("POST", f"{one}/retry", self.retry_execution),
        )

    @operation(
        "List executions, the newest first",
        scope="executions:read",
        query=n8n_schema("N8nExecutionsQuery"),
        response=n8n_schema("ExecutionList"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def list_executions(self) -> Response:
        query: N8nExecutionsQuery = read_query(n8n_schema("N8nExecutionsQuery"))
        cursor = asked_cursor(query)
        where = _filter(query, cursor)
        try:
            await ask_about(self._context.find_port(ProjectAccess), query.project_id or None)
        except NotFound:
            where = None
        if where is None:
            return json_response(page([], None))
        found = await self._context.store.executions(where, offset=cursor.offset, limit=cursor.limit)
        until = cursor.until if cursor.until is not None or not found.rows else found.rows[0].created_at
        if not query.include_data:
            rows: list[Json] = [execution_view(row) for row in found.rows]
            return json_response(page(rows, cursor.after(len(rows), found.total, until)))
        parts: list[bytes] = []
        for row in found.rows:
            part = await self._listed(row)
            if parts and sum(map(len, parts)) + len(part) > PAGE_BYTES:
                break
            parts.append(part)
        next_cursor = dumps(cursor.after(len(parts), found.total, until))
        body = b'{"data":[' + b",".join(parts) + b'],"nextCursor":' + next_cursor + b"}"
        return Response(body, content_type="application/json")

    async def _listed(self, row: ExecutionRow) -> bytes:
        """With its data, unless they are gone meanwhile."""
        stored = await self._context.store.execution(row.id)
        return dumps(execution_view(row)) if stored is None else await self._body(stored)

    async def _body(self, stored: StoredExecution) -> bytes:
        whole, workflow = await with_outputs(self._context, stored), await self._workflow(stored)
        return await rendered(whole, lambda: written(whole_execution(whole, workflow)))

    async def _workflow(self, stored: StoredExecution) -> Mapping[str, Json] | None:
        """The workflow that ran; None when it is not kept."""
        document, ident = stored.document, stored.row.workflow_id
        if document is None and ident is not None:
            try:
                version = await self._context.store.workflow_version(ident, stored.row.workflow_version)
            except DataDamaged:
                version = None
            document = None if version is None else version.document
        if document is None:
            return None
        await self._secrets.ready(document)
        return {"id": ident, **self._secrets.redacted(document)}

    @operation(
        "Read an execution",
        scope="executions:read",
        query=n8n_schema("N8nExecutionQuery"),
        response=n8n_schema("ExecutionWhole"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_execution(self, execution_id: str) -> Response:
        query: N8nExecutionQuery = read_query(n8n_schema("N8nExecutionQuery"))
        stored = await self._actions.find(execution_id)
        if not query.include_data:
            return json_response(execution_view(stored.row))
        return Response(await self._body(stored), content_type="application/json")

    @operation(
        "Delete an execution that is over, and show it once more",
        scope="workflows:write",
        response=n8n_schema("ExecutionWhole"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def delete_execution(self, execution_id: str) -> Response:
        stored = await self._actions.find(execution_id)
        await self._actions.delete(execution_id)
        return json_response(execution_view(stored.row))

    @operation(
        "Stop an open execution",
        scope="workflows:execute",
        response=n8n_schema("Stopped"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def stop_execution(self, execution_id: str) -> Response:
        view = execution_view((await self._actions.cancel(execution_id)).row)
        return json_response({key: view[key] for key in ("mode", "startedAt", "stoppedAt", "finished", "status")})

    @operation(
        "Run an execution again from the node that failed",
        scope="workflows:execute",
        request=n8n_schema("RetryBody"),
        response=n8n_schema("ExecutionWhole"),
        tags=TAGS,
        errors=(Conflict,),
        body_optional=True,
    )
    async def retry_execution(self, execution_id: str) -> Response:
        body: RetryBody = parse_model(n8n_model("RetryBody"), await read_optional_json())
        stored = await self._actions.whole(execution_id)
        execution = await self._actions.retry(stored, "latest" if body.load_workflow else "failed")
        return json_response(execution_view((await self._actions.find(execution.id)).row))

    @operation(
        "Stop all open executions of these statuses",
        scope="workflows:execute",
        request=n8n_schema("StopBody"),
        response=n8n_schema("StoppedCount"),
        tags=TAGS,
    )
    async def stop_executions(self) -> Response:
        body: StopBody = await read_model(n8n_model("StopBody"))
        workflow_id = None if body.workflow_id in (None, "all") else body.workflow_id
        stopped = 0
        for status in dict.fromkeys(body.status):
            stopped += await self._stop(
                ExecutionFilter(workflow_id, status, None, body.started_after, body.started_before)
            )
        return json_response({"stopped": stopped})

    async def _stop(self, where: ExecutionFilter) -> int:
        """Those that are open now: what begins meanwhile is not among them."""
        ids: list[str] = []
        while True:
            found = await self._context.store.executions(where, offset=len(ids), limit=STOP_PAGE)
            ids += [row.id for row in found.rows]
            if not found.rows or len(ids) >= found.total:
                break
        stopped = 0
        for ident in ids:
            try:
                await self._actions.stop(ident)
            except (NotFound, Conflict, AccessDenied):  # it is over meanwhile, or in a project where they only look
                continue
            stopped += 1
        return stopped


def _filter(query: N8nExecutionsQuery, cursor: Cursor) -> ExecutionFilter | None:
    """The filter that the query asks for; None when no execution can be meant."""
    word, until = query.status, query.started_before
    known = [time for time in (until, cursor.until) if time is not None]
    if word in NEVER:
        return None
    return ExecutionFilter(
        workflow_id=query.workflow_id,
        status=OUR_STATUSES[word] if word else None,
        since=query.started_after,
        until=min(known) if known else None,
    )
