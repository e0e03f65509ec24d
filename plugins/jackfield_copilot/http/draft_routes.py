"""`/api/v1/drafts`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from quart import Response, request

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound, PayloadTooLarge
from jackfield.api.http import json_response, operation, principal, read_model, read_query, request_scope
from jackfield.api.ids import is_uuid
from jackfield.api.json_values import Json
from jackfield.api.paging import Page
from jackfield.api.storage.drafts import DraftRow
from jackfield_copilot.drafts.model import Draft
from jackfield_copilot.drafts.runs import runs_of
from jackfield_copilot.drafts.service import Against, Drafts
from jackfield_copilot.drafts.views import draft_view, row_view, run_view

if TYPE_CHECKING:
    from jackfield_copilot.http.schemas import (
        DraftAcceptance,
        DraftBody,
        DraftDocument,
        DraftMerge,
        DraftRejection,
        DraftRunBody,
        DraftRunDecision,
        DraftRunQuery,
        DraftsQuery,
    )

_SCHEMAS = "jackfield_copilot.http.schemas"
TAGS = ("drafts",)
NO_WORKFLOW = "none"
View: TypeAlias = Callable[..., Awaitable[Response]]
Route: TypeAlias = "tuple[str, str, View]"
_IF_MATCH = re.compile(r'"?([0-9]{1,9})"?')


def _schema(name: str) -> str:
    return f"{_SCHEMAS}:{name}"


class DraftRoutes:
    """Views on drafts."""

    name = "drafts"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._drafts = context.port(Drafts)
        self._runs = runs_of(context)

    def routes(self) -> Sequence[Route]:
        one = "/drafts/<draft_id>"
        return (
            ("GET", "/drafts", self.list_drafts),
            ("POST", "/drafts", self.create_draft),
            ("GET", one, self.get_draft),
            ("PUT", one, self.replace_draft),
            ("DELETE", one, self.delete_draft),
            ("POST", f"{one}/accept", self.accept_draft),
            ("POST", f"{one}/reject", self.reject_draft),
            ("POST", f"{one}/merge", self.merge_draft),
            ("POST", f"{one}/runs", self.ask_for_run),
            ("GET", f"{one}/runs/<run_id>", self.get_run),
            ("POST", f"{one}/runs/<run_id>", self.decide_run),
        )

    @operation(
        "List drafts of workflows, the last changed first",
        scope="workflows:read",
        query=_schema("DraftsQuery"),
        response=_schema("DraftPage"),
        tags=TAGS,
    )
    async def list_drafts(self) -> Response:
        page: DraftsQuery = read_query(_schema("DraftsQuery"))
        workflow = "" if page.workflow_id == NO_WORKFLOW else page.workflow_id
        found: Page[DraftRow] = Page([], 0)
        if all(is_uuid(ident) for ident in (workflow, page.execution_id) if ident):
            found = await self._context.store.drafts(workflow, page.execution_id, offset=page.offset, limit=page.limit)
        names: dict[str | None, str | None] = {None: None}
        for row in found.rows:
            if row.workflow_id not in names:
                known = await self._context.store.workflow_row(cast("str", row.workflow_id))
                names[row.workflow_id] = None if known is None else known.name
        rows: list[Json] = [row_view(row, names[row.workflow_id]) for row in found.rows]
        return json_response({"data": rows, "total": found.total, "offset": page.offset, "limit": page.limit})

    @operation(
        "Begin a draft, of a workflow or of a new one",
        scope="workflows:write",
        request=_schema("DraftBody"),
        response=_schema("DraftShown"),
        headers={"ETag": "The revision of the draft."},
        status=201,
        tags=TAGS,
        errors=(Conflict, NotFound, PayloadTooLarge),
    )
    async def create_draft(self) -> Response:
        body: DraftBody = await read_model(_schema("DraftBody"))
        made = await self._drafts.create(
            body.workflow_id, principal().username, title=body.title, document=body.document
        )
        return await self._shown(made, 201)

    @operation(
        "Read a draft: its documents and its changes",
        scope="workflows:read",
        response=_schema("DraftShown"),
        headers={"ETag": "The revision of the draft."},
        tags=TAGS,
        errors=(NotFound,),
    )
    async def get_draft(self, draft_id: str) -> Response:
        return await self._shown(await self._drafts.keeper.find(draft_id))

    @operation(
        "Replace the document of a draft",
        scope="workflows:write",
        request=_schema("DraftDocument"),
        response=_schema("DraftShown"),
        headers={"ETag": "The revision of the draft."},
        tags=TAGS,
        errors=(Conflict, NotFound, PayloadTooLarge),
        reads={"If-Match": 'The revision that may be changed, such as "3"; otherwise 409. * or none: any.'},
    )
    async def replace_draft(self, draft_id: str) -> Response:
        body: DraftDocument = await read_model(_schema("DraftDocument"))
        made = await self._drafts.write(draft_id, body.document, revision=_if_match(), title=body.title)
        return await self._shown(made)

    @operation("Discard a draft", scope="workflows:write", status=204, tags=TAGS, errors=(NotFound,))
    async def delete_draft(self, draft_id: str) -> Response:
        await self._drafts.keeper.delete(draft_id)
        return Response(status=204)

    @operation(
        "Accept changes of a draft: save them in its workflow",
        scope="workflows:write",
        request=_schema("DraftAcceptance"),
        response=_schema("DraftAccepted"),
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def accept_draft(self, draft_id: str) -> Response:
        body: DraftAcceptance = await read_model(_schema("DraftAcceptance"))
        done = await self._drafts.accept(
            request_scope(), draft_id, body.revision, body.changes, overwrite=body.overwrite
        )
        saved = {name: done.workflow.get(name) for name in ("id", "name", "version", "active")}
        view = {"workflow": {**saved, "formerVersion": done.former}, "accepted": list(done.ids)}
        return json_response({**view, "draft": await self._view(done.draft)})

    @operation(
        "Reject changes of a draft: take them out of it",
        scope="workflows:write",
        request=_schema("DraftRejection"),
        response=_schema("DraftShown"),
        headers={"ETag": "The revision of the draft."},
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def reject_draft(self, draft_id: str) -> Response:
        body: DraftRejection = await read_model(_schema("DraftRejection"))
        return json_response(await self._view(await self._drafts.reject(draft_id, body.revision, body.changes)))

    @operation(
        "Put changes of a draft into a document, without saving it",
        scope="workflows:read",
        request=_schema("DraftMerge"),
        response=_schema("DraftMerged"),
        tags=TAGS,
        errors=(Conflict, NotFound),
        act=UNRECORDED,
    )
    async def merge_draft(self, draft_id: str) -> Response:
        body: DraftMerge = await read_model(_schema("DraftMerge"))
        made = await self._drafts.merge(draft_id, body.document, body.changes, overwrite=body.overwrite)
        return json_response({"document": made.document, "accepted": list(made.accepted)})

    @operation(
        "Ask for a run of a draft, which somebody has to allow",
        operation_id="askForDraftRun",
        scope="workflows:write",
        request=_schema("DraftRunBody"),
        response=_schema("DraftRunShown"),
        status=202,
        tags=TAGS,
        errors=(Conflict, NotFound, PayloadTooLarge),
    )
    async def ask_for_run(self, draft_id: str) -> Response:
        body: DraftRunBody = await read_model(_schema("DraftRunBody"))
        made = await self._runs.ask(draft_id, body.input, start=body.start, until=body.until)
        return json_response(self._run(made), 202)

    @operation(
        "Read whether a run of a draft was allowed, and its execution",
        operation_id="getDraftRun",
        scope="workflows:read",
        query=_schema("DraftRunQuery"),
        response=_schema("DraftRunShown"),
        tags=TAGS,
        errors=(NotFound,),
    )
    async def get_run(self, draft_id: str, run_id: str) -> Response:
        query: DraftRunQuery = read_query(_schema("DraftRunQuery"))
        return json_response(self._run(await self._runs.decided(draft_id, run_id, query.wait)))

    @operation(
        "Let a draft run, or do not",
        operation_id="decideDraftRun",
        scope="workflows:execute",
        request=_schema("DraftRunDecision"),
        response=_schema("DraftRunShown"),
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def decide_run(self, draft_id: str, run_id: str) -> Response:
        body: DraftRunDecision = await read_model(_schema("DraftRunDecision"))
        if body.allow:
            return json_response(self._run(await self._runs.allow(request_scope(), draft_id, run_id)))
        return json_response(self._run(await self._runs.refuse(draft_id, run_id)))

    async def _shown(self, draft: Draft, status: int = 200) -> Response:
        response = json_response(await self._view(await self._drafts.against(draft)), status)
        response.headers["ETag"] = f'"{draft.revision}"'
        return response

    async def _view(self, found: Against) -> dict[str, Json]:
        run = None if found.draft.run is None else self._run(found.draft)
        return await asyncio.to_thread(draft_view, found, run)

    def _run(self, draft: Draft) -> dict[str, Json]:
        if draft.run is None:
            raise NotFound("The draft has no run.", code="RUN_NOT_FOUND")
        return run_view(draft.run, self._runs.state_of(draft.run))


def _if_match() -> int | None:
    """The revision that the request names. Raises `InvalidInput`."""
    given = request.headers.get("If-Match", "*").strip()
    if given == "*":
        return None
    found = _IF_MATCH.fullmatch(given)
    if found is None:
        details = {"If-Match": "give the draft's revision, such as 3, or *"}
        raise InvalidInput("The header If-Match names no revision.", details=details)
    return int(found[1])
