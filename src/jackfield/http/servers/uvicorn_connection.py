"""uvicorn's connections, by httptools: `jackfield.api.admission` hears how far each request has come.

Source: RFC 9112 sections 6.1 and 6.3.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jackfield.api.admission.connections import IDLE, SILENT, Admission, AdmittedConnection, Overdue

from ..http1.refusals import malformed, too_late

_CODING, _LENGTH = b"transfer-encoding", b"content-length"
_VERSIONS = ("1.0", "1.1")


class AdmittedProtocol(HttpToolsProtocol):
    """One caller's connection. `admit` comes before its `connection_made`."""

    admitted: AdmittedConnection
    admission: Admission

    def admit(self, admitted: AdmittedConnection, admission: Admission) -> None:
        self.admitted = admitted
        self.admission = admission
        admitted.end = self._end

    def connection_lost(self, exc: Exception | None) -> None:
        self.admitted.release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.admitted.phase in (SILENT, IDLE):
            self.admitted.receives()
        super().data_received(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value.strip(b" \t"))  # httptools leaves what stands behind a value

    def on_headers_complete(self) -> None:
        names = {name for name, _ in self.headers}
        codings = [value.lower() for name, value in self.headers if name == _CODING]
        version = self.parser.get_http_version()
        doubtful = codings and (codings != [b"chunked"] or _LENGTH in names or version != "1.1")
        if doubtful or version not in _VERSIONS:
            raise ValueError("a request that may be read in two ways")  # httptools makes it its own error
        super().on_headers_complete()
        self.admitted.head_is_whole(has_body=bool(names & {_CODING, _LENGTH}))

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.admitted.request_is_whole()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # Of pipelined requests the next one has begun.
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self.admitted.idles()

    def handle_websocket_upgrade(self) -> None:
        """From now on another protocol hears of the connection's end."""
        super().handle_websocket_upgrade()
        other = cast("asyncio.Protocol", self.transport.get_protocol())
        lost = other.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            self.admitted.release()
            lost(exc)

        other.connection_lost = connection_lost  # type: ignore[method-assign]

    def send_400_response(self, msg: str) -> None:
        self.admission.malformed += 1
        self.transport.write(malformed())
        self.transport.close()

    def _end(self, reason: Overdue | None) -> bool:
        """As `AdmittedConnection.end`. An application that is slow to read is none of its caller's faults."""
        cycle: Any = self.cycle  # None before the first request, whatever its annotation says
        if reason == "request" and self.flow.read_paused:
            return False
        begun = cycle is not None and cycle.response_started and not cycle.response_complete
        if reason in ("head", "request") and not begun:
            self.transport.write(too_late(reason))
        self.transport.close()
        return True
