"""`/api/v1/approvals`: everything that people are asked, in one place."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, NotFound
from jackfield.api.http import json_response, operation, principal, read_model, read_query, request_scope
from jackfield_approvals.auditing import note_answer, require_person
from jackfield_approvals.http.inbox import Inbox, is_question, page
from jackfield_approvals.http.schemas import ApprovalIn, ApprovalsQuery
from jackfield_approvals.paths import ALL

_SCHEMAS = "jackfield_approvals.http.schemas"
_TAGS = ("approvals",)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("approvals", __name__, url_prefix=ALL)

    def inbox() -> Inbox:
        return Inbox(context, request_scope(), principal())

    @made.get("")
    @operation(
        "List what people are asked, newest first",
        scope=None,
        query=f"{_SCHEMAS}:ApprovalsQuery",
        response=f"{_SCHEMAS}:ApprovalsPage",
        tags=_TAGS,
        errors=(AccessDenied,),
    )
    async def list_approvals() -> Response:
        query = read_query(ApprovalsQuery)
        found = await inbox().rows(query.kind, query.state)
        return json_response(
            {
                "data": page(found.rows, query.offset, query.limit),
                "total": len(found.rows),
                "offset": query.offset,
                "limit": query.limit,
                "complete": found.complete,
            }
        )

    @made.get("/<approval_id>")
    @operation(
        "Show one thing that people are asked",
        operation_id="getApproval",
        scope=None,
        response=f"{_SCHEMAS}:ApprovalOut",
        tags=_TAGS,
        errors=(AccessDenied, NotFound, Conflict),
    )
    async def show_approval(approval_id: str) -> Response:
        return json_response(await inbox().one(approval_id))

    @made.post("/<approval_id>")
    @operation(
        "Answer; of several answers one counts",
        operation_id="answerApproval",
        scope=None,
        request=f"{_SCHEMAS}:ApprovalIn",
        response=f"{_SCHEMAS}:ApprovalOut",
        tags=_TAGS,
        errors=(AccessDenied, NotFound, Conflict),
    )
    async def answer_approval(approval_id: str) -> Response:
        body = await read_model(ApprovalIn)
        caller = principal()
        require_person(caller)
        answered = await inbox().answer(approval_id, body.option, body.note, body.fields)
        if is_question(approval_id):  # of an agent's request its own host says so
            note_answer(context, caller, approval_id, str(answered["workflow"]), body.option)
        return json_response(answered)

    return [made]
