"""Bodies and answers of projects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from jackfield.api.n8n_pages import CursorPage, N8nAnswer
from jackfield.api.schemas import Schema

Role = Literal["project:viewer", "project:editor", "project:admin"]
Kind = Literal["workflow", "credential", "variable", "data-table", "profile", "virtual-key"]
Name = Annotated[str, Field(min_length=1, max_length=128)]


class _Body(Schema):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class _Shown(Schema):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class NewProject(_Body):
    name: Name


class ProjectChange(_Body):
    """isOpen: whether every user is a member; of the shared project alone."""

    name: Name | None = None
    is_open: bool | None = None


class MemberBody(_Body):
    role: Role


class ProjectShown(_Shown):
    """role: the caller's own; null for somebody who is no member, such as an administrator."""

    id: str
    name: str
    kind: Literal["team", "personal"]
    is_open: bool
    role: Role | None
    created_at: str
    updated_at: str


class ProjectWhole(ProjectShown):
    """holds: kind -> how many of them belong to the project; the shared one, which has the rest, tells of none."""

    holds: dict[str, int]


class ProjectEnd(_Body):
    """movingTo: id of the project that gets what belongs to the deleted one."""

    moving_to: str | None = Field(None, max_length=64)


class ProjectList(_Shown):
    data: list[ProjectShown]
    total: int
    in_use: bool
    """Whether anything is kept from anybody."""


class MemberShown(_Shown):
    user_id: str
    username: str
    display_name: str
    role: Role


class MemberList(_Shown):
    data: list[MemberShown]
    total: int


class PlacementBody(_Body):
    project_id: str


class PlacementShown(_Shown):
    """Where something belongs, and the projects that may use it, too."""

    kind: Kind
    id: str
    project_id: str
    shared_with: list[str]


class PlacementsQuery(_Body):
    """ids: separated by commas, 200 at most."""

    kind: Kind
    ids: str = Field(max_length=20_000)


class PlacementList(_Shown):
    data: list[PlacementShown]


class N8nNewProject(N8nAnswer):
    name: Name


class N8nProject(N8nAnswer):
    id: str
    name: str
    type: Literal["personal", "team"]
    created_at: str
    updated_at: str


class N8nProjectPage(CursorPage):
    data: list[N8nProject]


class N8nMember(N8nAnswer):
    id: str
    email: str
    first_name: str
    last_name: str
    role: str
    created_at: str
    updated_at: str


class N8nMemberPage(CursorPage):
    data: list[N8nMember]


class N8nRelation(N8nAnswer):
    user_id: str
    role: Role


class N8nRelations(N8nAnswer):
    relations: list[N8nRelation] = Field(min_length=1, max_length=200)


class N8nMemberRole(N8nAnswer):
    role: Role
