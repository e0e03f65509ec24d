"""Addresses of the page and of the endpoints that command lines ask."""

from __future__ import annotations

import re

PAGE = "/auth/command"
REQUEST = f"{PAGE}/request"
"""Pushed authorization requests (RFC 9126)."""
DEVICE = f"{PAGE}/device"
"""Device authorization requests (RFC 8628 section 3.1)."""
TOKEN = f"{PAGE}/token"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
CODE_GRANT = "authorization_code"
CLIENT = "jackfield-cli"
"""The one client: every command line. It is public, and proves by PKCE that it has begun."""
_LOOPBACK = re.compile(r"http://127\.0\.0\.1:([1-9][0-9]{0,4})/callback")


def loopback_port(redirect_uri: str) -> int | None:
    """The port of `http://127.0.0.1:PORT/callback`; None for any other address (RFC 8252 section 7.3)."""
    found = _LOOPBACK.fullmatch(redirect_uri)
    port = int(found[1]) if found else 0
    return port if 0 < port < 65536 else None
