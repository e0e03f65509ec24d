"""A Quart application over a hub, a stand-in for the script engine, and agents to talk to."""

from __future__ import annotations

import re
from typing import Any

from quart import Quart, Response

from jackfield.api import jsontext
from jackfield.api.errors import JackfieldError
from jackfield.api.scripts import ScriptData, ScriptError
from jackfield_terminal.http import driving_routes as driving
from jackfield_terminal.http import recording_routes, routes
from jackfield_terminal.hub import Hub

from .conftest import NEAR, python

TALKER = python(r"""
import os, sys, termios, time
if "paste" in sys.argv: os.write(1, b"\033[?2004h")
mode = termios.tcgetattr(0)
mode[3] &= ~(termios.ECHO | termios.ICANON)
termios.tcsetattr(0, termios.TCSADRAIN, mode)
os.write(1, b"hello\r\n> ")
line = b""
while True:
    data = os.read(0, 65536)
    for at in range(len(data)):
        byte = data[at:at+1]
        if byte in (b"\r", b"\n"):
            os.write(1, b"\r\nanswer " + repr(line).encode().replace(b"\\", b"/") + b"\r\n> ")
            line = b""
        else:
            line += byte
            os.write(1, byte if byte != b"\033" else b"^")
""")
"""Echoes what is typed and answers with it at a return."""


class PatternEngine:
    """Tests regular expressions with Python's."""

    def __init__(self) -> None:
        self.fails = False

    async def evaluate(self, sources: list[str], data: ScriptData, items: list[int]) -> list[list[object]]:
        if self.fails:
            raise ScriptError("too slow")
        given: Any = data.input[0]["json"]
        try:
            return [[re.search(given["pattern"], given["text"], re.MULTILINE) is not None]]
        except re.error:
            return [[None]]


def app_of(hub: Hub) -> Quart:
    app = Quart("test")
    hub._context.ports.setdefault("SessionHub", hub)  # type: ignore[attr-defined]  # a test's context
    for module in (routes, driving, recording_routes):
        app.register_blueprint(module.blueprint(hub._context))

    @app.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        body = {"code": error.code, "error": error.message, "details": error.details}
        return Response(jsontext.dumps(body), status=error.status, content_type="application/json")

    return app


class Api:
    """Requests below `/api/terminal`; the data of the envelope."""

    def __init__(self, hub: Hub) -> None:
        self.app = app_of(hub)

    async def raw(self, method: str, path: str, **options: Any) -> Any:
        scope = {**NEAR, **options.pop("scope_base", {})}
        return await self.app.test_client().open(f"/api/terminal{path}", method=method, scope_base=scope, **options)

    async def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = await self.raw(method, path, **options)
        body = await answer.get_json(force=True)
        assert answer.status_code == status, body
        return body if status != 200 else body.get("data")
