"""Bodies of the page on which a person lets a command line in."""

from __future__ import annotations

from pydantic import Field

from jackfield_auth.routes.schemas import AuthBody, AuthView


class CommandLoginView(AuthView):
    name: str = Field(description="Name of the machine, as the command says it.")
    address: str = Field(description="Address from which the command asks.")
    begun_at: str
    username: str = Field(description="Name of the caller.")
    scopes: list[str] = Field(description="Scopes of the key. Empty: all rights of its user.")
    expires_after: str = Field(description="Lifetime of the key, such as 90d.")
    users: list[str] = Field(description="Names to choose from, for the daemon's own user alone.")


class CommandDecisionBody(AuthBody):
    allow: bool
    username: str | None = Field(
        None, max_length=256, description="User of the key. Only the daemon's own user chooses."
    )


class CommandDecisionView(AuthView):
    redirect: str | None = Field(None, description="Address to which the browser goes.")
