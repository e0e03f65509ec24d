"""Queries, bodies and answers of n8n's API of users and projects."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, RootModel

from jackfield.api.n8n_pages import CursorPage, CursorQuery, N8nAnswer, N8nOffset


class N8nUserQuery(N8nAnswer):
    """The role is always told."""

    include_role: bool | None = None


class N8nUsersQuery(CursorQuery, N8nUserQuery):
    offset: N8nOffset = 0
    project_id: str | None = None


class N8nUser(N8nAnswer):
    id: str
    email: str
    first_name: str
    last_name: str
    is_pending: bool
    mfa_enabled: bool
    role: str
    created_at: str
    updated_at: str


class N8nUserPage(CursorPage):
    data: list[N8nUser]


class N8nRoleBody(N8nAnswer):
    new_role_name: str


class N8nInvitation(N8nAnswer):
    email: Annotated[str, Field(min_length=1, max_length=200)]
    role: str = "global:member"


class N8nInvitations(RootModel[Annotated[list[N8nInvitation], Field(max_length=100)]]):
    """One for each user."""


class N8nInvitedUser(N8nAnswer):
    id: str | None = None
    email: str
    invite_accept_url: str | None = None
    email_sent: bool | None = None


class N8nInvitedRow(N8nAnswer):
    user: N8nInvitedUser
    error: str


class N8nInvited(RootModel[list[N8nInvitedRow]]):
    """In the order of the request."""
