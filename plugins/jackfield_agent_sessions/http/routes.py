"""`/api/agent-sessions`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.http import is_from_network, operation, read_model, read_query, request_scope, success
from jackfield_agent_sessions.http.schemas import AgentSessionIn, MessagesQuery, PermissionIn, SessionMessageIn
from jackfield_agent_sessions.ports import SessionKeeper
from jackfield_agent_sessions.session.telling import message_out
from jackfield_agent_sessions.session.views import session_view

if TYPE_CHECKING:
    from jackfield_agent_sessions.session.session import AgentSession

_SCHEMAS = "jackfield_agent_sessions.http.schemas"
_ONE = "/<session_id>"
_TAGS = ("agent-sessions",)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    keeper = partial(context.port, SessionKeeper)  # asked for with a request: the routes are made at the start
    made = Blueprint("agent_sessions", __name__, url_prefix="/api/agent-sessions")

    async def guard() -> None:
        ident = (request.view_args or {}).get("session_id")
        if ident is not None:
            await keeper().require(str(ident), "read" if request.method in ("GET", "HEAD", "OPTIONS") else "start")

    made.before_request(guard)

    def driven(session_id: str) -> AgentSession:
        return keeper().driven(session_id, request_scope())

    @made.get("")
    @operation("Every agent session.", scope=None, response=f"{_SCHEMAS}:AgentSessionList", tags=_TAGS)
    async def list_agent_sessions() -> Response:
        return success([session_view(session) for session in await keeper().seen()])

    @made.post("")
    @operation(
        "Start a profile's agent in its own protocol; the answer comes when it is ready for messages.",
        scope=None,
        request=f"{_SCHEMAS}:AgentSessionIn",
        response=f"{_SCHEMAS}:AgentSessionAnswer",
        tags=_TAGS,
        errors=(Conflict, NotFound, JackfieldError),
    )
    async def create_agent_session() -> Response:
        body = await read_model(AgentSessionIn)
        return success(session_view(await keeper().create(body.request(remote=is_from_network()))))

    @made.get(_ONE)
    @operation(
        "One agent session.",
        operation_id="getAgentSession",
        scope=None,
        response=f"{_SCHEMAS}:AgentSessionAnswer",
        tags=_TAGS,
    )
    async def show_agent_session(session_id: str) -> Response:
        return success(session_view(keeper().find(session_id)))

    @made.delete(_ONE)
    @operation(
        "End an agent session; of one that has ended, forget the messages.",
        scope=None,
        response=f"{_SCHEMAS}:AgentSessionDone",
        tags=_TAGS,
    )
    async def delete_agent_session(session_id: str) -> Response:
        session = driven(session_id)
        if session.over.is_set():
            keeper().forget(session.id)
        else:
            await keeper().stop(session.id)
        return success()

    @made.get(f"{_ONE}/messages")
    @operation(
        "The messages of an agent session, or those that are new or changed.",
        operation_id="listAgentSessionMessages",
        scope=None,
        query=f"{_SCHEMAS}:MessagesQuery",
        response=f"{_SCHEMAS}:SessionMessagesAnswer",
        tags=_TAGS,
    )
    async def list_session_messages(session_id: str) -> Response:
        query, session = read_query(MessagesQuery), keeper().find(session_id)
        if query.wait:
            await session.changed(query.since, query.wait)
        history = session.history
        return success(
            {
                "state": session.state,
                "revision": history.revision,
                "forgotten": history.forgotten,
                "messages": [message_out(one) for one in history.since(query.since)],
            }
        )

    @made.post(f"{_ONE}/messages")
    @operation(
        "Say something to the agent.",
        operation_id="sendAgentSessionMessage",
        scope=None,
        request=f"{_SCHEMAS}:SessionMessageIn",
        response=f"{_SCHEMAS}:AgentSessionAnswer",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def say_to_agent(session_id: str) -> Response:
        session = driven(session_id)
        body = await read_model(SessionMessageIn)
        session.say(body.text)
        return success(session_view(session))

    @made.post(f"{_ONE}/permissions/<permission_id>")
    @operation(
        "Answer a request of the agent's for a permission.",
        operation_id="answerAgentSessionPermission",
        scope=None,
        request=f"{_SCHEMAS}:PermissionIn",
        response=f"{_SCHEMAS}:AgentSessionAnswer",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def answer_permission(session_id: str, permission_id: str) -> Response:
        session = driven(session_id)
        body = await read_model(PermissionIn)
        session.answer(permission_id, body.option, body.note)
        return success(session_view(session))

    @made.post(f"{_ONE}/interrupt")
    @operation(
        "Break off what the agent is at; it stays ready for messages.",
        operation_id="interruptAgentSession",
        scope=None,
        response=f"{_SCHEMAS}:AgentSessionAnswer",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def interrupt_agent(session_id: str) -> Response:
        session = driven(session_id)
        session.interrupt()
        return success(session_view(session))

    return [made]
