"""Who calls, and what they may do. Source: decisions.md section 1, 'Users, tokens, keys'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from .errors import AccessDenied
from .records import record

ROLES = ("viewer", "member", "admin")
SESSION = "session"
"""The method of a cookie that a browser sends by itself: the gate takes it from the daemon's own pages alone."""
AGENTS_READ = "agents:read"
AGENTS_WRITE = "agents:write"
"""Of all that is outside `/api/v1`: whoever starts an agent can do what the daemon's user can."""
SCOPES = frozenset(
    {
        AGENTS_READ,
        AGENTS_WRITE,
        "workflows:read",
        "workflows:write",
        "workflows:execute",
        "executions:read",
        "webhooks:read",
        "credentials:write",
    }
)
_READS = frozenset({AGENTS_READ, "workflows:read", "executions:read", "webhooks:read"})
ROLE_SCOPES: Mapping[str, frozenset[str]] = {"viewer": _READS, "member": SCOPES, "admin": SCOPES}
"""Scopes that a role gives. `users:admin` is no scope: it is the role admin."""


@record
class Principal:
    """A verified caller. method: jwt, api_key, basic, session or owner; scopes: None = all that the role gives;
    claims: what the method adds (a JWT's `jti` and `exp`; `peer` of a session that processes of the daemon's own user
    alone may use)."""

    user_id: str
    username: str
    role: str
    method: str
    scopes: frozenset[str] | None = None
    claims: Mapping[str, object] = field(default_factory=dict)

    def may(self, scope: str) -> bool:
        return scope in ROLE_SCOPES.get(self.role, frozenset()) and (self.scopes is None or scope in self.scopes)

    def require(self, scope: str) -> None:
        """Raises `AccessDenied` that names the missing scope, or the role that would give it."""
        if self.may(scope):
            return
        if self.scopes is not None and scope not in self.scopes:
            raise AccessDenied(f"This API key lacks the scope {scope}.", details={"scope": scope})
        raise AccessDenied(
            f"The role {self.role} lacks the scope {scope}; it needs the role member.",
            details={"scope": scope, "role": "member"},
        )

    def require_look(self) -> None:
        """For what tells about agents and their profiles. Raises `AccessDenied` for an API key with scopes of which
        none is `agents:read`."""
        self.require(AGENTS_READ)

    def require_change(self) -> None:
        """For what starts or changes something outside `/api/v1`. Raises `AccessDenied` for a viewer, and for an API
        key with scopes of which none is `agents:write`."""
        self.require(AGENTS_WRITE)

    def require_admin(self) -> None:
        """Raises `AccessDenied` unless the caller is an administrator with an unrestricted credential."""
        if self.role != "admin" or self.scopes is not None:
            raise AccessDenied("This needs the role admin.", details={"role": "admin"})


OWNER = Principal("owner", "owner", "admin", "owner")
"""The daemon's own user, who is nobody in the table of users."""


@record
class AuthRequest:
    """What an authentication method may look at: header values by lower-case name, and the client's address."""

    headers: Mapping[str, list[bytes]]
    client: str
    path: str
    passive: bool = False
    """Whether it only asks if the credential still counts, which is no use of it."""

    def header(self, name: str) -> bytes | None:
        """The only value of the header; None when absent. Two values are joined and so fail verification."""
        found = self.headers.get(name)
        return None if not found else b", ".join(found)


class AuthMethod(Protocol):
    """One way to prove who calls.

    `authenticate` answers None when the request carries nothing of this method, raises an `AuthRequired` when it does
    but
    the credential is not valid. Every credential in a request must be valid and name the same user.
    """

    name: str

    async def authenticate(self, request: AuthRequest) -> Principal | None: ...
