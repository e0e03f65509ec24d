"""Projects of a daemon in which there is one, the shared one, and nothing is limited."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.projects import Right, Rights
from jackfield.api.storage import User
from jackfield.api.storage.projects import SHARED, Project, ResourceKind


class OneProject:
    """`jackfield.api.projects.ProjectAccess`"""

    in_use = False

    async def rights(self) -> Rights | None:
        return None

    async def project_of(self, kind: ResourceKind, resource_id: str) -> str:
        return SHARED

    async def sees(self, kind: ResourceKind, resource_id: str) -> bool:
        return True

    async def seen(self, kind: ResourceKind, ids: Sequence[str]) -> set[str]:
        return set(ids)

    async def require(self, kind: ResourceKind, resource_id: str, right: Right) -> bool:
        return True

    async def project(self, project_id: str) -> Project | None:
        return None

    async def is_member(self, project_id: str, user: User) -> bool:
        return True

    async def changed(self) -> None:
        """Nobody has to hear of it."""
