"""HTTP/1.1 and nothing else: Hypercorn speaks HTTP/2 with whoever asks for it, on a connection without TLS as well.

HTTP/2 would be a second way in, past what is bounded here for a connection: its head, its times, its WebSockets. No
browser speaks it without TLS, and a web server in front of the daemon that gives its callers HTTP/2 asks the daemon in
HTTP/1.1.

Source: RFC 9110 sections 7.8 and 15.6.6; RFC 9112 section 2.3; RFC 9113 section 3.4.
"""

from __future__ import annotations

from typing import Any

import h11
from hypercorn.protocol.h11 import H11Protocol

VERSION_NOT_SUPPORTED = 505
_MAJOR = b"1."


class Http1Connection(h11.Connection):
    """One that takes requests of HTTP/1 alone; h11 takes any number for the version, and so the preface of HTTP/2."""

    def next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """Raises `h11.RemoteProtocolError` 505."""
        event = super().next_event()
        if isinstance(event, h11.Request) and not event.http_version.startswith(_MAJOR):
            raise h11.RemoteProtocolError("not HTTP/1", error_status_hint=VERSION_NOT_SUPPORTED)
        return event


class Http1Protocol(H11Protocol):
    """Never changes to HTTP/2: neither by `Upgrade: h2c`, which a server may ignore, nor by its preface."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self.connection = Http1Connection(h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size)

    async def _check_protocol(self, event: h11.Request) -> None:
        """Hypercorn raises from here what makes it change."""
