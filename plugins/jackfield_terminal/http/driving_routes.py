"""Routes by which scripts and workflows drive an agent: its screen, input, waiting, and a conversation.

Source: coder/agentapi for `/message`, `/messages`, `/status`, `/events`.
"""

from __future__ import annotations

import base64
import binascii
from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http import operation, read_model, read_query, request_scope, success
from jackfield_terminal.driving.event_stream import event_stream, message_out
from jackfield_terminal.driving.view import dialog_out
from jackfield_terminal.http.reach import reach_guard
from jackfield_terminal.http.schemas import InputIn, MessageIn, WaitQuery
from jackfield_terminal.ports import Act, SessionHub
from jackfield_terminal.screen.keys import sequence
from jackfield_terminal.screen.snapshot import Snapshot

if TYPE_CHECKING:
    from jackfield_terminal.driving.driver import Driver
    from jackfield_terminal.session.session import Session

_SCHEMAS = "jackfield_terminal.http.schemas"
_PATH = "/sessions/<session_id>"


def blueprint(context: PluginContext) -> Blueprint:
    hub = partial(context.port, SessionHub)  # asked for with a request: the routes are made on a thread, at the start
    driving = Blueprint("terminal_driving", __name__, url_prefix="/api/terminal")
    driving.before_request(reach_guard(context))

    def reached(session_id: str, act: Act) -> Session:
        return hub().reached(session_id, act, request_scope())

    def watched(session_id: str) -> Driver:
        return hub().driver(reached(session_id, "look").id)

    @driving.get(f"{_PATH}/screen")
    @operation(
        "The session's screen as text.",
        operation_id="getTerminalScreen",
        scope=None,
        response=f"{_SCHEMAS}:ScreenAnswer",
        tags=["terminal"],
        media=("application/json", "text/plain"),
    )
    async def screen(session_id: str) -> Response:
        found = await watched(session_id).screen.snapshot()
        if request.accept_mimetypes.best == "text/plain":
            return Response(found.text + "\n", content_type="text/plain; charset=utf-8")
        return success(screen_out(found))

    @driving.post(f"{_PATH}/input")
    @operation(
        "Type into the session.",
        operation_id="sendTerminalInput",
        scope=None,
        request=f"{_SCHEMAS}:InputIn",
        tags=["terminal"],
        response=f"{_SCHEMAS}:TypedAnswer",
        errors=(Conflict,),
        act=UNRECORDED,
    )
    async def send_input(session_id: str) -> Response:
        session = reached(session_id, "drive")
        data = bytes_of(await read_model(InputIn))
        await hub().type(session, data)
        return success({"bytes": len(data)})

    @driving.route(f"{_PATH}/wait", methods=["GET", "POST"])
    @operation(
        "Wait until the session is idle, shows a text, or has ended.",
        operation_id="waitForTerminal",
        scope=None,
        query=f"{_SCHEMAS}:WaitQuery",
        response=f"{_SCHEMAS}:WaitAnswer",
        tags=["terminal"],
        act=UNRECORDED,
    )
    async def wait(session_id: str) -> Response:
        query = read_query(WaitQuery)
        driver = watched(session_id)
        met = await driver.wait(query.for_, quiet=query.quiet, timeout=query.timeout, pattern=query.pattern)
        found = await driver.screen.snapshot()
        session = driver.session
        shown: dict[str, object] = {
            "met": met,
            "state": session.state,
            "exit_code": session.exit_code,
            "screen": screen_out(found),
        }
        return success(shown | await driver.view.told(found))

    @driving.post(f"{_PATH}/message")
    @operation(
        "Say something to the agent.",
        operation_id="sendTerminalMessage",
        scope=None,
        request=f"{_SCHEMAS}:MessageIn",
        tags=["terminal"],
        response=f"{_SCHEMAS}:SaidAnswer",
        errors=(Conflict,),
    )
    async def message(session_id: str) -> Response:
        driver = hub().driver(reached(session_id, "drive").id)
        body = await read_model(MessageIn)
        if body.type == "raw":
            await hub().type(driver.session, body.content.encode())
            return success({"ok": True})
        reply = await driver.conversation.say(body.content, body.wait)
        answer = {} if reply.answer is None else {"answer": reply.answer}
        told = {"ok": True, "judged_by": reply.judged_by, "status": reply.status}
        return success(told | answer | dialog_out(reply.dialog))

    @driving.get(f"{_PATH}/messages")
    @operation(
        "The conversation so far.",
        operation_id="listTerminalMessages",
        scope=None,
        response=f"{_SCHEMAS}:MessagesAnswer",
        tags=["terminal"],
    )
    async def messages(session_id: str) -> Response:
        found = await watched(session_id).conversation.messages()
        return success({"messages": [message_out(entry) for entry in found]})

    @driving.get(f"{_PATH}/status")
    @operation(
        "Whether the agent waits for input.",
        operation_id="getTerminalStatus",
        scope=None,
        response=f"{_SCHEMAS}:StatusAnswer",
        tags=["terminal"],
    )
    async def status(session_id: str) -> Response:
        driver = watched(session_id)
        found = await driver.conversation.status()
        agent = driver.session.launch.profile.agent_id or driver.session.kind
        told = {"status": found.status, "agent_type": agent, "transport": "pty", "judged_by": found.judged_by}
        return success(told | dialog_out(found.dialog))

    @driving.get(f"{_PATH}/events")
    @operation(
        "The conversation as server-sent events.",
        operation_id="streamTerminalEvents",
        scope=None,
        tags=["terminal"],
        media=("text/event-stream",),
    )
    async def events(session_id: str) -> Response:
        driver = watched(session_id)
        response = Response(event_stream(driver, hub()), content_type="text/event-stream")
        response.timeout = None
        response.headers["Cache-Control"] = "no-store"
        return response

    return driving


def bytes_of(body: InputIn) -> bytes:
    """The bytes to type. Raises `InvalidInput`."""
    data = (body.text or "").encode()
    if body.data is not None:
        try:
            data += base64.b64decode(body.data, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("The data is not base64.", details={"data": "encode the bytes as base64"}) from None
    return data + b"".join(sequence(name) for name in body.keys)


def screen_out(found: Snapshot) -> dict[str, object]:
    return {
        "cols": found.cols,
        "rows": found.rows,
        "cursor": {"row": found.row, "col": found.col, "visible": found.cursor_visible},
        "alternate": found.alternate,
        "title": found.title,
        "lines": list(found.lines),
        "text": found.text,
    }
