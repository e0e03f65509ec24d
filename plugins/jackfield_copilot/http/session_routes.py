"""`/api/copilot`."""

from __future__ import annotations

from functools import partial

from quart import Blueprint, Response, request

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.http import is_from_network, operation, principal, read_model, request_scope, success
from jackfield.api.own_calls import OwnCalls
from jackfield.api.placed_things import PlacedThings
from jackfield_copilot.drafts.service import answered
from jackfield_copilot.http.schemas import CopilotMessageIn, CopilotSessionIn
from jackfield_copilot.sessions.prompts import CopilotTask
from jackfield_copilot.sessions.sessions import CopilotSessions, CopilotStart, unknown

_SCHEMAS = "jackfield_copilot.http.schemas"
_TAGS = ("copilot",)
_ONE = "/sessions/<session_id>"
LOOKS = ("GET", "HEAD", "OPTIONS")


def _require() -> None:
    """The one who talks to the agent must be allowed to read all that the agent reads and tells."""
    for scope in ("workflows:read", "workflows:write", "executions:read"):
        principal().require(scope)


def session_blueprint(context: PluginContext) -> Blueprint:
    made = Blueprint("copilot", __name__, url_prefix="/api/copilot")
    sessions = partial(context.port, CopilotSessions)  # asked for with a request: the routes are made at the start

    async def guard() -> None:
        ident = (request.view_args or {}).get("session_id")
        if ident is None or not sessions().has(str(ident)):
            return
        profile = str(sessions().shown(str(ident))["profile_alias"])
        if not await PlacedThings(context, "profile").may(profile, "read" if request.method in LOOKS else "start"):
            raise unknown()

    made.before_request(guard)

    def shown(session_id: str) -> Response:
        draft = sessions().draft_of(session_id)
        return success({"draft_id": draft, "session": sessions().shown(session_id)})

    @made.post("/sessions")
    @operation(
        "Let a profile's agent work on a draft; the answer comes when it knows its task.",
        operation_id="createCopilotSession",
        scope=None,
        request=f"{_SCHEMAS}:CopilotSessionIn",
        response=f"{_SCHEMAS}:CopilotSessionAnswer",
        tags=_TAGS,
        errors=(Conflict, NotFound, JackfieldError),
    )
    async def create_session() -> Response:
        body = await read_model(CopilotSessionIn)
        _require()
        task = CopilotTask(body.action, body.text, body.execution_id)
        start = CopilotStart(
            body.profile_alias,
            task,
            principal().username,
            body.workflow_id,
            body.draft_id,
            body.working_dir,
            is_from_network(),
        )
        talk = await sessions().begin(start)
        return shown(talk.session.id)

    @made.get(_ONE)
    @operation(
        "The draft of a copilot session, and the session.",
        operation_id="getCopilotSession",
        scope=None,
        response=f"{_SCHEMAS}:CopilotSessionAnswer",
        tags=_TAGS,
    )
    async def show_session(session_id: str) -> Response:
        principal().require("workflows:read")
        return shown(session_id)

    @made.post(f"{_ONE}/messages")
    @operation(
        "Tell the agent of a copilot session what to do next.",
        operation_id="sendCopilotMessage",
        scope=None,
        request=f"{_SCHEMAS}:CopilotMessageIn",
        response=f"{_SCHEMAS}:CopilotSessionAnswer",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def say(session_id: str) -> Response:
        body = await read_model(CopilotMessageIn)
        _require()
        text = await sessions().say(session_id, CopilotTask(body.action, body.text, body.execution_id))
        path = f"/api/agent-sessions/{session_id}/messages"
        answered(await context.port(OwnCalls).call(request_scope(), "POST", path, body={"text": text}))
        return shown(session_id)

    return made
