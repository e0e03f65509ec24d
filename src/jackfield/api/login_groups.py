"""Groups of another directory become a role and memberships here: one table for every login that knows groups.

A login that a plugin brings takes the rows as a setting (`list[GroupRow]`) and asks `GroupTable` at each login.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .auth import ROLES
from .diagnosis import Finding
from .storage import PROJECT_ROLES, SHARED, ProjectRole, ProjectStore

Role = Literal["viewer", "member", "admin"]
EVERYBODY = "*"
"""The group of everybody whom the directory lets in."""


class GroupRow(BaseModel):
    """One row: who is in the group has this role, is in this project, or both."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    group: str = Field(
        min_length=1, max_length=1024, description="Name of the group as the directory has it; `*`: everybody."
    )
    role: Role | None = Field(None, description="Role of the group's people; of several the one that may do most.")
    project: str | None = Field(
        None, min_length=1, max_length=200, description="Id or name of the project that the group's people are in."
    )
    project_role: ProjectRole = Field("project:viewer", description="Their role in that project.")

    @model_validator(mode="after")
    def _gives_something(self) -> GroupRow:
        if self.role is None and self.project is None:
            raise ValueError(f"the row of the group {self.group} gives neither a role nor a project")
        return self


class GroupTable:
    """folds: whether the directory does not tell case apart, as LDAP does not."""

    def __init__(self, rows: Sequence[GroupRow], *, folds: bool = False) -> None:
        self._rows = rows
        self._folds = folds

    @property
    def projects(self) -> set[str]:
        """All projects that a row names."""
        return {row.project for row in self._rows if row.project is not None}

    def role(self, groups: Iterable[str]) -> str:
        """The role that may do most; empty: none of the groups gives one, and this person may not come in."""
        given = {row.role for row in self._matching(groups)}
        return next((role for role in reversed(ROLES) if role in given), "")

    def memberships(self, groups: Iterable[str]) -> dict[str, ProjectRole]:
        """Project, as a row names it -> the role that may do most there."""
        found: dict[str, ProjectRole] = {}
        for row in self._matching(groups):
            if row.project is not None:
                roles = {row.project_role, found.get(row.project, row.project_role)}
                found[row.project] = max(roles, key=PROJECT_ROLES.index)
        return found

    def _matching(self, groups: Iterable[str]) -> list[GroupRow]:
        held = {self._known(group) for group in groups}
        return [row for row in self._rows if row.group == EVERYBODY or self._known(row.group) in held]

    def _known(self, group: str) -> str:
        return group.casefold() if self._folds else group


async def missing_projects(store: ProjectStore, subject: str, rows: Sequence[GroupRow]) -> list[Finding]:
    """For `jackfield doctor`: projects that rows name and that are not there, or of whose name there are several."""
    projects = await store.projects()
    ids = {SHARED, *(each.id for each in projects)}
    names = [each.name for each in projects]
    return [
        Finding(
            subject,
            False,
            f"a row of groups names the project {name}, of which there is not exactly one: see "
            "`jackfield projects list`",
        )
        for name in sorted(GroupTable(rows).projects - ids)
        if names.count(name) != 1
    ]
