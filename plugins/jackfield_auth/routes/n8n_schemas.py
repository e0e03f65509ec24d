"""Queries, bodies and answers of n8n's API of users and projects."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield.api.n8n_pages import CursorPage, CursorQuery, N8nAnswer


class N8nUserQuery(N8nAnswer):
    """The role is always told."""

    includeRole: bool | None = None  # noqa: N815 - n8n's spelling


class N8nUsersQuery(CursorQuery, N8nUserQuery):
    offset: int = Field(0, ge=0)
    projectId: str | None = None  # noqa: N815


class N8nUser(N8nAnswer):
    id: str
    email: str
    firstName: str  # noqa: N815
    lastName: str  # noqa: N815
    isPending: bool  # noqa: N815
    mfaEnabled: bool  # noqa: N815
    role: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class N8nUserPage(CursorPage):
    data: list[N8nUser]


class MemberPage(CursorPage):
    data: list[N8nUser]


class N8nRoleBody(N8nAnswer):
    newRoleName: str  # noqa: N815


class N8nProject(N8nAnswer):
    id: str
    name: str
    type: Literal["personal"]
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


class N8nProjectPage(CursorPage):
    data: list[N8nProject]
