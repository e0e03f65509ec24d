"""Messages of standard input to the daemon's `/mcp`, and its answers to standard output. Source: MCP 2025-11-25,
Transports (stdio, Streamable HTTP).

It knows nothing of what is said, and needs no SDK: each line is one request of HTTP.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any
from urllib.parse import urlsplit

from jackfield.api.daemon import DaemonClient
from jackfield.api.errors import JackfieldError
from jackfield_mcp.paths import ENDPOINT

_AT_ONCE = 16
"""Requests under way; what comes beyond them waits in the pipe."""
_LONGEST = 8 * 2**20
"""Bytes of a line."""
_CONNECT_S, _ANSWER_S = 10.0, 90_000.0
"""Seconds: to connect, and between two parts of an answer, as the longest wait of a tool is a day."""
_ABSENT = -32000
"""JSON-RPC's first code for servers."""
_NOT_ASKED = (401, 403)

Message = dict[str, Any]  # JSON-RPC


def serve(daemon: DaemonClient, given: IO[bytes], told: IO[bytes]) -> None:
    """Until the input ends. Raises `DaemonAbsent` when no daemon runs."""
    bridge = _Bridge(daemon, told)
    bridge.check()
    with ThreadPoolExecutor(_AT_ONCE, "mcp") as threads:
        room = threading.Semaphore(_AT_ONCE)
        while line := given.readline(_LONGEST + 1):
            if len(line) > _LONGEST:
                raise JackfieldError(f"A message has more than {_LONGEST} bytes.")
            if not line.strip():
                continue
            message = _parsed(line)
            if message.get("method") == "initialize":
                bridge.pass_on(line, message)
                continue
            if message.get("method") != "notifications/cancelled":  # it must pass the calls that it cancels
                room.acquire()
                threads.submit(bridge.pass_on, line, message).add_done_callback(lambda _: room.release())
            else:
                threading.Thread(target=bridge.pass_on, args=(line, message), daemon=True).start()


def _parsed(line: bytes) -> Message:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class _Bridge:
    """session, version: as the daemon told when the client initialized."""

    def __init__(self, daemon: DaemonClient, told: IO[bytes]) -> None:
        self._daemon = daemon
        self._told = told
        self._writing = threading.Lock()
        self._session = ""
        self._version = ""

    def check(self) -> None:
        """Whether the daemon answers. Raises `DaemonAbsent`."""
        self._daemon.send("GET", "/health", headers={}, timeout=_CONNECT_S)

    def _connection(self) -> http.client.HTTPConnection:
        where = urlsplit(self._daemon.base)
        kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
        return kind(where.hostname or "", where.port, timeout=_CONNECT_S)

    def pass_on(self, line: bytes, message: Message) -> None:
        try:
            for answer in self._answers(line):
                if message.get("method") == "initialize":
                    self._note_version(answer)
                self._tell(answer)
        except JackfieldError as exc:
            self._fail(message, exc.message)
        except (OSError, http.client.HTTPException, ValueError):
            self._fail(message, "The Jackfield daemon does not answer; start it with `jackfield serve`.")

    def _answers(self, line: bytes) -> Iterator[bytes]:
        connection = self._connection()
        try:
            connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(_ANSWER_S)
            connection.request("POST", ENDPOINT, line.strip(), self._headers())
            answer = connection.getresponse()
            self._session = answer.getheader("mcp-session-id") or self._session
            if answer.status >= 400:
                raise JackfieldError(_reason(answer.status, answer.read(_LONGEST)))
            if (answer.getheader("content-type") or "").startswith("text/event-stream"):
                yield from _events(answer)
            elif body := answer.read():
                yield body
        finally:
            connection.close()

    def _headers(self) -> dict[str, str]:
        headers = {**self._daemon.headers(), "Content-Type": "application/json"}
        headers["Accept"] = "application/json, text/event-stream"
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        if self._version:
            headers["MCP-Protocol-Version"] = self._version
        return headers

    def _note_version(self, answer: bytes) -> None:
        result = _parsed(answer).get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str):
            self._version = version

    def _fail(self, message: Message, reason: str) -> None:
        """A notification gets no answer."""
        if "id" in message:
            error = {"code": _ABSENT, "message": reason}
            self._tell(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())

    def _tell(self, answer: bytes) -> None:
        with self._writing:
            self._told.write(answer.replace(b"\n", b" ").strip() + b"\n")
            self._told.flush()


def _events(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The data of server-sent events, as they come."""
    lines: list[bytes] = []
    while line := answer.readline(_LONGEST):
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            lines.append(text[5:].removeprefix(b" "))
        elif not text and lines:
            data, lines = b"\n".join(lines), []
            if data:
                yield data


def _reason(status: int, body: bytes) -> str:
    """In the daemon's own words. The SDK answers in JSON-RPC, the gate in its envelope."""
    told = _parsed(body)
    error = told.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    words = told.get("message") or inner or f"the status {status}"
    if status in _NOT_ASKED:
        return f"The daemon refuses: {words} Run this as the daemon's own user, or set JACKFIELD_API_KEY."
    return str(words)
