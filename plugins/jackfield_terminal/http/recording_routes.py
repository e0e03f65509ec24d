"""Recordings of sessions: start, stop, download."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import SAVED, is_from_network, operation, request_scope, response_of, save_as, success
from jackfield_terminal.http.reach import reach_guard
from jackfield_terminal.ports import SessionHub
from jackfield_terminal.session.recorder import Recorder

if TYPE_CHECKING:
    from jackfield_terminal.session.session import Session

_SCHEMAS = "jackfield_terminal.http.schemas"
_PATH = "/sessions/<session_id>"
_TYPE = "application/x-asciicast"


def blueprint(context: PluginContext) -> Blueprint:
    hub = partial(context.port, SessionHub)  # asked for with a request: the routes are made on a thread, at the start
    recording = Blueprint("terminal_recording", __name__, url_prefix="/api/terminal")
    recording.before_request(reach_guard(context))

    def reached(session_id: str) -> Session:
        return hub().reached(session_id, "look", request_scope())

    @recording.post(f"{_PATH}/record")
    @operation(
        "Record the session from now on.",
        operation_id="startTerminalRecording",
        scope=None,
        response=f"{_SCHEMAS}:RecordingAnswer",
        tags=["terminal"],
        errors=(Conflict,),
    )
    async def start(session_id: str) -> Response:
        return success(recording_out(await hub().recordings.start(reached(session_id))))

    @recording.delete(f"{_PATH}/record")
    @operation(
        "Stop recording; the recording is kept.",
        operation_id="stopTerminalRecording",
        scope=None,
        response=f"{_SCHEMAS}:RecordingAnswer",
        tags=["terminal"],
    )
    async def stop(session_id: str) -> Response:
        session = reached(session_id)
        recorder = session.recorder
        if recorder is None:
            raise NotFound("The session is not recorded.", code="RECORDING_NOT_FOUND")
        recorder.over()
        session.keep()
        await recorder.finished()
        return success(recording_out(recorder))

    @recording.get(f"{_PATH}/recording")
    @operation(
        "The session's recording, asciicast v2.",
        operation_id="getTerminalRecording",
        scope=None,
        tags=["terminal"],
        media=(_TYPE,),
        headers=SAVED,
        act="terminal.recording.read",
    )
    async def download(session_id: str) -> Response:
        if is_from_network():  # of a session that is forgotten nobody knows whether it was a shell
            reached(session_id)
        response = response_of(await hub().recordings.open(session_id))
        response.content_type = _TYPE
        save_as(response, f"{session_id}.cast")
        return response

    return recording


def recording_out(recorder: Recorder) -> dict[str, object]:
    found: dict[str, object] = {"state": recorder.state, "bytes": recorder.size}
    if recorder.reason is not None:
        found["reason"] = recorder.reason
    return found
