"""`/api/agent-approvals`: requests of this host's agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from quart import Blueprint, Response, request

from jackfield.api.approvals import ApprovalAnswer
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import is_from_network, operation, principal, read_model, success
from jackfield.api.jsontext import Json
from jackfield_approvals.auditing import note_answer, require_person
from jackfield_approvals.http.options import option_views
from jackfield_approvals.http.schemas import AgentApprovalIn
from jackfield_approvals.hub import AgentApprovalHub, KeptRequest
from jackfield_approvals.paths import AGENTS

_SCHEMAS = "jackfield_approvals.http.schemas"
_TAGS = ("approvals",)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    known = partial(context.port, AgentApprovalHub)
    made = Blueprint("agent_approvals", __name__, url_prefix=AGENTS)

    async def guard() -> None:
        ident = (request.view_args or {}).get("approval_id")
        if ident is not None:
            await known().require(str(ident), "read" if request.method in ("GET", "HEAD", "OPTIONS") else "start")

    made.before_request(guard)

    @made.get("")
    @operation("Requests of agents, newest first.", scope=None, response=f"{_SCHEMAS}:AgentApprovalList", tags=_TAGS)
    async def list_agent_approvals() -> Response:
        return success([shown(one) for one in await known().seen()])

    @made.get("/<approval_id>")
    @operation(
        "One request of an agent.",
        operation_id="getAgentApproval",
        scope=None,
        response=f"{_SCHEMAS}:AgentApprovalAnswer",
        tags=_TAGS,
    )
    async def show_agent_approval(approval_id: str) -> Response:
        return success(shown(known().find(approval_id)))

    @made.post("/<approval_id>")
    @operation(
        "Answer a request of an agent.",
        operation_id="answerAgentApproval",
        scope=None,
        request=f"{_SCHEMAS}:AgentApprovalIn",
        response=f"{_SCHEMAS}:AgentApprovalAnswer",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def answer_agent_approval(approval_id: str) -> Response:
        body = await read_model(AgentApprovalIn)
        caller = principal()
        require_person(caller)
        answer = ApprovalAnswer(body.option, body.note, caller.username, is_from_network())
        kept = known().answer(approval_id, answer)
        note_answer(context, caller, kept.id, f"{kept.request.profile} ({kept.request.tool})", body.option)
        return success(shown(kept))

    return [made]


def shown(kept: KeptRequest) -> Mapping[str, Json]:
    """A request as the API shows it."""
    request = kept.request
    return {
        "id": kept.id,
        "profile": request.profile,
        "asked_by": request.asked_by,
        "session_id": request.session,
        "execution_id": request.execution_id or None,
        "tool": request.tool,
        "title": request.title,
        "input": request.input,
        "cut": request.cut,
        "options": option_views(request.options),
        "state": kept.state,
        "asked_at": iso(kept.asked_ms),
        "until": None if request.until_ms is None else iso(request.until_ms),
        "answer": kept.option or None,
        "answered_by": kept.by or None,
        "closed_at": None if kept.closed_ms is None else iso(kept.closed_ms),
    }
