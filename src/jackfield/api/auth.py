"""Who calls, and what they may do. Source: decisions.md section 1, 'Users, tokens, keys'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from .errors import AccessDenied
from .records import record

ROLES = ("viewer", "member", "admin")
CHANGING_ROLES = frozenset({"member", "admin"})
SCOPES = frozenset(
    {
        "workflows:read",
        "workflows:write",
        "workflows:execute",
        "executions:read",
        "webhooks:read",
        "credentials:write",
    }
)
_READS = frozenset({"workflows:read", "executions:read", "webhooks:read"})
ROLE_SCOPES: Mapping[str, frozenset[str]] = {"viewer": _READS, "member": SCOPES, "admin": SCOPES}
"""Scopes that a role gives. `users:admin` is no scope: it is the role admin."""


@record
class Principal:
    """A verified caller. method: jwt, api_key, basic or owner; scopes: None = all that the role gives;
    claims: what the method adds (a JWT's `jti` and `exp`)."""

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

    def require_change(self) -> None:
        """For what starts or changes something and has no scope of its own, as all about agents. Raises `AccessDenied`
        for a viewer, and for an API key with scopes: none of them asked for this."""
        if self.scopes is not None:
            raise AccessDenied("An API key with scopes may only read here; use one without.")
        if self.role not in CHANGING_ROLES:
            raise AccessDenied(
                f"The role {self.role} may only read here; this needs the role member.", details={"role": "member"}
            )

    def require_admin(self) -> None:
        """Raises `AccessDenied` unless the caller is an administrator with an unrestricted credential."""
        if self.role != "admin" or self.scopes is not None:
            raise AccessDenied("This needs the role admin.", details={"role": "admin"})


@record
class AuthRequest:
    """What an authentication method may look at: header values by lower-case name, and the client's address."""

    headers: Mapping[str, list[bytes]]
    client: str
    path: str

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
