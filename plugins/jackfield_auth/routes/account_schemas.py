"""Bodies of sessions of users."""

from __future__ import annotations

from pydantic import Field

from jackfield_auth.routes.schemas import AuthView


class LoginSessionView(AuthView):
    id: str = Field(description="The id by which you end the session; it lets nobody in.")
    device: str = Field(description="As the browser has named itself; empty: not known.")
    address: str = Field(description="That the login came from; empty: not known.")
    how: list[str] = Field(description="The proofs of the login, such as `password` and `totp`.")
    created_at: str
    last_seen_at: str = Field(description="Exact to a minute.")
    expires_at: str = Field(description="At the latest.")
    current: bool = Field(description="Whether the request was made in this session.")


class LoginSessionList(AuthView):
    data: list[LoginSessionView]


class SessionsEnded(AuthView):
    ended: int = Field(description="Browsers' sessions that have ended; tokens are not counted.")
