"""Projects in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...api.errors import Conflict, NotFound
from ...api.records import replace
from ...api.storage import SHARED, Project, ProjectMember, ResourceKind
from .tables import MemoryTables


class MemoryProjects(MemoryTables):
    """Part of `MemoryStore`."""

    async def project_revision(self) -> int:
        self._answer()
        return self._project_revision

    async def projects(self) -> Sequence[Project]:
        self._answer()
        return sorted(self._projects.values(), key=lambda project: (project.name, project.id))

    async def put_project(self, project: Project) -> None:
        self._count_change()
        old = self._projects.get(project.id)
        self._projects[project.id] = project if old is None else replace(project, created_at=old.created_at)

    async def delete_project(self, project_id: str) -> bool:
        self._count_change()
        if project_id in self._placed.values():
            raise Conflict("Something belongs to the project; move or delete it first.")
        self._shared = {each for each in self._shared if each[2] != project_id}
        self._members = {key: each for key, each in self._members.items() if key[0] != project_id}
        return self._projects.pop(project_id, None) is not None

    async def project_members(self, project_id: str | None = None) -> Sequence[ProjectMember]:
        self._answer()
        found = [each for key, each in sorted(self._members.items()) if key[1] in self._users]
        return [each for each in found if project_id in (None, each.project_id)]

    async def put_project_member(self, member: ProjectMember) -> None:
        self._count_change()
        for table, what, ident in (
            (self._projects, "project", member.project_id),
            (self._users, "user", member.user_id),
        ):
            if ident not in table:
                raise NotFound(f"There is no {what} with this id.")
        self._members[member.project_id, member.user_id] = member

    async def delete_project_member(self, project_id: str, user_id: str) -> bool:
        self._count_change()
        return self._members.pop((project_id, user_id), None) is not None

    async def place_resources(self, kind: ResourceKind, ids: Sequence[str], project_id: str) -> None:
        self._count_change()
        for ident in ids:
            self._placed.pop((kind, ident), None)
            if project_id != SHARED or kind == "execution":
                self._placed[kind, ident] = project_id
            self._shared.discard((kind, ident, project_id))

    async def forget_resource(self, kind: ResourceKind, resource_id: str) -> None:
        self._count_change()
        self._placed.pop((kind, resource_id), None)
        self._shared = {each for each in self._shared if each[:2] != (kind, resource_id)}

    async def placements(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, str]:
        self._answer()
        return {ident: self._placed[kind, ident] for ident in ids if (kind, ident) in self._placed}

    async def placed(self, project_id: str, kind: ResourceKind) -> Sequence[str]:
        self._answer()
        return sorted(ident for (each, ident), holder in self._placed.items() if (each, holder) == (kind, project_id))

    async def share_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> None:
        self._count_change()
        if self._placed.get((kind, resource_id), SHARED) != project_id:
            self._shared.add((kind, resource_id, project_id))

    async def unshare_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> bool:
        self._count_change()
        known = (kind, resource_id, project_id) in self._shared
        self._shared.discard((kind, resource_id, project_id))
        return known

    async def shares(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        self._answer()
        found: dict[str, list[str]] = {}
        for each, ident, project in sorted(self._shared):
            if each == kind and ident in ids:
                found.setdefault(ident, []).append(project)
        return found

    async def trim_placements(self, limit: int) -> int:
        self._answer()
        held = {run.row.workflow_id for run in self._runs.values()} | set(self._workflows)
        held |= {draft.row.workflow_id for draft in self._drafts.values()}
        gone = [key for key in self._placed if key[0] == "execution" and key[1] not in self._runs][:limit]
        gone += [key for key in self._placed if key[0] == "workflow" and key[1] not in held][:limit]
        gone += [key for key in self._placed if key[0] == "draft" and key[1] not in self._drafts][:limit]
        for key in gone:
            del self._placed[key]
        return len(gone)

    def _count_change(self) -> None:
        self._answer()
        self._project_revision += 1
