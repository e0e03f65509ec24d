"""Recordings of sessions: start, stop, download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.errors import NotFound
from jackfield.api.http import operation, response_of, success

if TYPE_CHECKING:
    from jackfield_terminal.lazy import LazyHub
    from jackfield_terminal.recorder import Recorder

_SCHEMAS = "jackfield_terminal.schemas"
_PATH = "/sessions/<session_id>"
_TYPE = "application/x-asciicast"


def blueprint(lazy: LazyHub) -> Blueprint:
    recording = Blueprint("terminal_recording", __name__, url_prefix="/api/terminal")

    @recording.post(f"{_PATH}/record")
    @operation("Record the session from now on.", scope=None, response=f"{_SCHEMAS}:RecordingOut", tags=["terminal"])
    async def start(session_id: str) -> Response:
        return success(recording_out(await lazy.hub.recordings.start(lazy.hub.find(session_id))))

    @recording.delete(f"{_PATH}/record")
    @operation(
        "Stop recording; the recording is kept.",
        scope=None,
        response=f"{_SCHEMAS}:RecordingOut",
        tags=["terminal"],
    )
    async def stop(session_id: str) -> Response:
        session = lazy.hub.find(session_id)
        recorder = session.recorder
        if recorder is None:
            raise NotFound("The session is not recorded.", code="RECORDING_NOT_FOUND")
        recorder.over()
        session.keep()
        await recorder.finished()
        return success(recording_out(recorder))

    @recording.get(f"{_PATH}/recording")
    @operation("The session's recording, asciicast v2.", scope=None, tags=["terminal"])
    async def download(session_id: str) -> Response:
        response = response_of(await lazy.hub.recordings.open(session_id))
        response.content_type = _TYPE
        response.headers["Content-Disposition"] = f'attachment; filename="{session_id}.cast"'
        return response

    return recording


def recording_out(recorder: Recorder) -> dict[str, object]:
    found: dict[str, object] = {"state": recorder.state, "bytes": recorder.size}
    if recorder.reason is not None:
        found["reason"] = recorder.reason
    return found
