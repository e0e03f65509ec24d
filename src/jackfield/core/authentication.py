"""Every authentication method in turn. Source: decisions.md: each present credential must be valid, and all must name
the same user."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import AuthMethod, AuthRequest, Principal
from jackfield.api.errors import AuthRequired


class Authenticator:
    """Holds the methods that plugins gave."""

    def __init__(self) -> None:
        self.methods: list[AuthMethod] = []

    async def __call__(self, request: AuthRequest) -> Principal | None:
        found: list[Principal] = []
        for method in self.methods:
            caller = await method.authenticate(request)
            if caller is not None:
                found.append(caller)
        if not found:
            return None
        if any(caller.user_id != found[0].user_id for caller in found):
            raise AuthRequired("The credentials of this request belong to different users; send one of them.")
        return narrowest(found)


def narrowest(callers: Sequence[Principal]) -> Principal:
    """With two credentials of one user the more restricted one decides."""
    return min(callers, key=lambda caller: 1 << 30 if caller.scopes is None else len(caller.scopes))
