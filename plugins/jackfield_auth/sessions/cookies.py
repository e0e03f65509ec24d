"""The cookies of a session and of a login that is under way. Over TLS a name begins with `__Host-`; else the port is in
it, that of `server.public_url`. Browsers keep one jar for all ports of a machine, and two daemons would end each
other's sessions (RFC 6265 section 8.5)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

NAME = "jackfield_session"
LOGIN = "jackfield_login"
"""Binds a redirect to a provider to the browser that began it."""
PENDING = "jackfield_pending"
"""Of a login that has begun in this browser and needs its second step."""
PASSKEY = "jackfield_passkey"
"""Binds the question to a passkey to the browser that has asked."""
LONGEST = 8192
"""Bytes of a Cookie header that are looked at."""


def cookie_port(public_url: str) -> int:
    """The port in the cookie's name: the one that browsers see, so that daemons behind one address share the cookie."""
    try:
        parts = urlsplit(public_url)
        return parts.port or {"https": 443}.get(parts.scheme, 80)
    except ValueError:  # the settings refuse such an address
        return 80


def names(port: int, name: str = NAME) -> tuple[str, str]:
    return f"{name}_{port}", f"__Host-{name}"


def tokens(headers: Sequence[bytes], port: int, name: str = NAME) -> list[bytes]:
    """Every value under one of the cookie's names."""
    wanted = [spelt.encode() for spelt in names(port, name)]
    found = []
    for header in headers:
        for pair in header[:LONGEST].split(b";"):
            found_name, equals, value = pair.strip().partition(b"=")
            if equals and found_name in wanted:
                found.append(value.strip(b'"'))
    return found


def given(token: str, port: int, lifetime: int, *, secure: bool, name: str = NAME) -> str:
    """Set-Cookie of a new value. lifetime: seconds."""
    plain, hidden = names(port, name)
    return f"{hidden if secure else plain}={token}; Path=/; Max-Age={lifetime}; HttpOnly; SameSite=Strict" + (
        "; Secure" if secure else ""
    )


def taken(port: int, name: str = NAME) -> list[str]:
    """Set-Cookie headers after which the browser has none."""
    plain, hidden = names(port, name)
    return [
        f"{plain}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
        f"{hidden}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    ]
