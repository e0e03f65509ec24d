"""The address of this machine to which the browser brings the code."""

from __future__ import annotations

import hmac
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit

from jackfield.api.errors import JackfieldError

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Jackfield</title></head>
<body style="font: 16px/1.5 system-ui; margin: 3rem; color-scheme: light dark"><p>{words}</p></body></html>"""
_ONE_S = 5.0
"""Seconds that one connection may take."""


class _Server(HTTPServer):
    """found: the parameters of the one request that has the state."""

    def __init__(self, state: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = state
        self.found: dict[str, str] | None = None


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _ONE_S

    def do_GET(self) -> None:
        """A request without the state is somebody else's, and ends nothing."""
        parts = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        expected = f"127.0.0.1:{self.server.server_port}"
        known = hmac.compare_digest(given.get("state", "").encode(), self.server.state.encode())
        if parts.path != "/callback" or not known or self.headers.get("Host") != expected or self.server.found:
            self._answer(404, "There is nothing here.")
            return
        self.server.found = given
        refused = "error" in given
        self._answer(200, "You refused the login." if refused else "You can close this page and go on in the terminal.")

    def _answer(self, status: int, words: str) -> None:
        body = _PAGE.format(words=words).encode()
        self.send_response(status)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """The request's line has the code."""


class LoginCallback:
    """Listens at 127.0.0.1, at a port that is free, for one answer. A context manager."""

    def __init__(self, state: str) -> None:
        self._server = _Server(state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/callback"

    def wait(self, seconds: float) -> str:
        """The code. Raises `JackfieldError` when the person refuses, or does nothing in time."""
        deadline = time.monotonic() + seconds
        while self._server.found is None and (left := deadline - time.monotonic()) > 0:
            self._server.timeout = left
            self._server.handle_request()
        found = self._server.found
        if found is None:
            raise JackfieldError("Nobody has decided in time. Run the command again.", code="LOGIN_TIMEOUT")
        if "code" not in found:
            raise JackfieldError("The login was refused in the browser.", code="ACCESS_DENIED")
        return found["code"]
