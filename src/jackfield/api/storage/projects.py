"""The part of the store port that keeps projects: their members, what belongs to them, and what they share.

Everything that has no row here belongs to the project `SHARED`, so that a store without projects has no rows at all. A
personal project is no row either: its id is its user's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, get_args

from ..records import record

SHARED = "jackfield"
"""Id of the project that has whatever is in no other one."""
ResourceKind = Literal[
    "workflow", "credential", "variable", "data-table", "folder", "profile", "virtual-key", "execution", "draft"
]  # fmt: skip
RESOURCE_KINDS: tuple[ResourceKind, ...] = get_args(ResourceKind)
"""`execution`, `draft`: of a workflow that is not saved; the others follow their workflows. `profile`: by its alias, at
whichever host it is."""
ProjectRole = Literal["project:viewer", "project:editor", "project:admin"]
PROJECT_ROLES: tuple[ProjectRole, ...] = get_args(ProjectRole)
"""Each may do what the one before it may."""


@record
class Project:
    """A team project. is_open: whether every user is a member of it, as the role of the user says; only `SHARED` is."""

    id: str
    name: str
    created_at: int
    updated_at: int
    is_open: bool = False


@record
class ProjectMember:
    """The role of a user in a project."""

    project_id: str
    user_id: str
    role: ProjectRole


@record
class Within:
    """Limits a list to what some projects have, or what is shared with them. projects: their ids."""

    projects: Sequence[str]


class ProjectStore(Protocol):
    """Projects, their members, and the resources that they have or share."""

    async def project_revision(self) -> int:
        """Counts up with each change by the verbs below; 0: there was none yet."""

    async def projects(self) -> Sequence[Project]:
        """Team projects by name. `SHARED` is among them only once it was put."""

    async def put_project(self, project: Project) -> None:
        """Insert, or change the one with this id."""

    async def delete_project(self, project_id: str) -> bool:
        """With its members and what was shared with it. Raises `Conflict` while something belongs to it."""

    async def project_members(self, project_id: str | None = None) -> Sequence[ProjectMember]:
        """Of one project, or of all; by project, then by user."""

    async def put_project_member(self, member: ProjectMember) -> None:
        """Insert or replace. Raises `NotFound` for an unknown project or user."""

    async def delete_project_member(self, project_id: str, user_id: str) -> bool: ...

    async def place_resources(self, kind: ResourceKind, ids: Sequence[str], project_id: str) -> None:
        """From now on these belong to this project, and to no other one.

        Other projects that shared them lose them. Executions have a row in `SHARED`, too: one without a row belongs to
        nobody.
        """

    async def forget_resource(self, kind: ResourceKind, resource_id: str) -> None:
        """It is gone: forget where it belongs and with whom it is shared."""

    async def placements(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, str]:
        """Id -> project of those of these that do not belong to `SHARED`, and of executions that were placed there."""

    async def placed(self, project_id: str, kind: ResourceKind) -> Sequence[str]:
        """The ids of this kind that belong to a project other than `SHARED`, in their order."""

    async def share_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> None:
        """Another project may use it from now on. Does nothing for the project that it belongs to."""

    async def unshare_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> bool: ...

    async def shares(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Id -> the projects that it is shared with, in their order; those that are not shared are left out."""

    async def trim_placements(self, limit: int) -> int:
        """Forget, of at most that many, executions and workflows that are gone and have left no execution; how many
        there were.
        """
