"""`/api/terminal`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import is_from_network, operation, read_model, request_scope, success
from jackfield_terminal.http import driving_routes, recording_routes
from jackfield_terminal.http.reach import reach_guard
from jackfield_terminal.http.recording_routes import recording_out
from jackfield_terminal.http.schemas import SessionIn, ShellSessionIn
from jackfield_terminal.http.sharing import Sharing
from jackfield_terminal.ports import SessionHub

if TYPE_CHECKING:
    from jackfield_terminal.session.session import Session

_SCHEMAS = "jackfield_terminal.http.schemas"


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = [module.blueprint(context) for module in (driving_routes, recording_routes)]
    return [blueprint(context), *made, context.port(Sharing).blueprint()]


def blueprint(context: PluginContext) -> Blueprint:
    hub = partial(context.port, SessionHub)  # asked for with a request: the routes are made on a thread, at the start
    terminal = Blueprint("terminal", __name__, url_prefix="/api/terminal")
    terminal.before_request(reach_guard(context))

    @terminal.get("/sessions")
    @operation(
        "Every terminal session.",
        operation_id="listTerminalSessions",
        scope=None,
        response=f"{_SCHEMAS}:SessionList",
        tags=["terminal"],
    )
    async def list_sessions() -> Response:
        return success([shown(session) for session in await hub().seen()])

    @terminal.post("/sessions")
    @operation(
        "Start a profile's agent in a terminal.",
        operation_id="createTerminalSession",
        scope=None,
        request=f"{_SCHEMAS}:SessionIn",
        response=f"{_SCHEMAS}:SessionMade",
        tags=["terminal"],
        errors=(Conflict, NotFound),
    )
    async def create_session() -> Response:
        return await started(await read_model(SessionIn))

    @terminal.post("/shell")
    @operation(
        "Start a shell in a terminal, without an agent.",
        operation_id="createShellSession",
        scope=None,
        request=f"{_SCHEMAS}:ShellSessionIn",
        response=f"{_SCHEMAS}:SessionMade",
        tags=["terminal"],
        errors=(Conflict,),
    )
    async def create_shell() -> Response:
        return await started(await read_model(ShellSessionIn))

    async def started(body: SessionIn | ShellSessionIn) -> Response:
        session = await hub().create(body.request(remote=is_from_network()))
        return success({"session_id": session.id, "ws_url": f"/ws/terminal/{session.id}"})

    @terminal.get("/sessions/<session_id>")
    @operation(
        "One terminal session.",
        operation_id="getTerminalSession",
        scope=None,
        response=f"{_SCHEMAS}:SessionShown",
        tags=["terminal"],
    )
    async def show_session(session_id: str) -> Response:
        return success(shown(hub().find(session_id)))

    @terminal.delete("/sessions/<session_id>")
    @operation(
        "End a session: hang up, terminate, kill.",
        operation_id="deleteTerminalSession",
        scope=None,
        tags=["terminal"],
        response=f"{_SCHEMAS}:TerminalDone",
    )
    async def delete_session(session_id: str) -> Response:
        session = hub().reached(session_id, "drive", request_scope())
        await hub().stop(session.id, "It was ended by a request.")
        return success()

    @terminal.post("/cleanup")
    @operation(
        "Forget the sessions that have ended, and their recordings.",
        operation_id="cleanUpTerminalSessions",
        scope=None,
        tags=["terminal"],
        response=f"{_SCHEMAS}:CleanedUp",
    )
    async def clean_up() -> Response:
        await hub().clean_up(request_scope())
        return success()

    return terminal


def shown(session: Session) -> dict[str, object]:
    """A session as the API shows it."""
    found: dict[str, object] = {
        "id": session.id,
        "kind": session.kind,
        "profile_alias": session.alias or None,
        "state": session.state,
        "created_at": iso(session.created_ms),
        "pid": session.pid,
        "cols": session.cols,
        "rows": session.rows,
        "client_count": len(session.attachments),
    }
    if session.kind == "shell":
        found["project_id"] = session.project_id
    if session.persistent:
        found["persistent"] = True
    if session.reason is not None:
        found["reason"] = session.reason
    if session.exit_code is not None:
        found["exit_code"] = session.exit_code
    if session.recorder is not None:
        found["recording"] = recording_out(session.recorder)
    return found
