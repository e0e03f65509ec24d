"""The session's cookie. Over TLS it is `__Host-jackfield_session`; else the port is in its name, because browsers keep
one jar for all ports of a machine, and two daemons would end each other's sessions (RFC 6265 section 8.5)."""

from __future__ import annotations

from collections.abc import Sequence

NAME = "jackfield_session"
SECURE_NAME = f"__Host-{NAME}"
LONGEST = 8192
"""Bytes of a Cookie header that are looked at."""


def names(port: int) -> tuple[str, str]:
    return f"{NAME}_{port}", SECURE_NAME


def tokens(headers: Sequence[bytes], port: int) -> list[bytes]:
    """Every value under one of our names."""
    wanted = [name.encode() for name in names(port)]
    found = []
    for header in headers:
        for pair in header[:LONGEST].split(b";"):
            name, equals, value = pair.strip().partition(b"=")
            if equals and name in wanted:
                found.append(value.strip(b'"'))
    return found


def given(token: str, port: int, lifetime: int, *, secure: bool) -> str:
    """Set-Cookie of a new session. lifetime: seconds."""
    plain, hidden = names(port)
    return f"{hidden if secure else plain}={token}; Path=/; Max-Age={lifetime}; HttpOnly; SameSite=Strict" + (
        "; Secure" if secure else ""
    )


def taken(port: int) -> list[str]:
    """Set-Cookie headers after which the browser has none."""
    plain, hidden = names(port)
    return [
        f"{plain}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
        f"{hidden}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    ]
