"""`jackfield.api.projects.ProjectAccess` over the store.

A remembered answer holds for one revision of the store's projects. This daemon forgets it with its own changes, and
with the bus's news of others. Without a bus, it looks at the revision now and then.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from jackfield.api.auth import Principal
from jackfield.api.bus import Bus
from jackfield.api.clock import Clock
from jackfield.api.errors import AccessDenied, NotFound, StoreUnavailable
from jackfield.api.projects import (
    NEEDED,
    PROJECTS_CHANGED,
    CallerReach,
    ProjectReach,
    Reach,
    Right,
    Rights,
    present_reach,
)
from jackfield.api.storage import SHARED, Project, ProjectMember, ProjectRole, ResourceKind, Store, User

from ..tables import ProjectsSettings

SHARED_NAME = "Shared"
OPEN_ROLES: dict[str, ProjectRole] = {
    "viewer": "project:viewer", "member": "project:editor", "admin": "project:admin",
}  # fmt: skip
"""Role of a user -> role in the shared project, as long as that is open."""
UNPLACED: dict[ResourceKind, str] = {"execution": ""}
"""Kind -> the project of a thing without a row. Nobody knows the owner of an unsaved workflow's execution that another
one started. So only callers who see everything see it."""
_TRIM_S, _TRIM = 3600.0, 1000
"""Seconds between two rounds that forget what is gone, and how many each forgets."""


class StoredAccess:
    """One per process. start: the store is open."""

    def __init__(
        self, store: Callable[[], Store], bus: Callable[[], Bus], clock: Clock, settings: ProjectsSettings
    ) -> None:
        self._find_store = store
        self._bus = bus
        self._clock = clock
        self._interval = settings.refresh_interval
        self._most = settings.cached
        self.in_use = False
        self._revision = -1
        self._changes = 0
        self._projects: dict[str, Project] = {}
        self._members: dict[str, list[ProjectMember]] = {}
        """By user."""
        self._places: OrderedDict[tuple[ResourceKind, str], str] = OrderedDict()
        self._shares: OrderedDict[tuple[ResourceKind, str], frozenset[str]] = OrderedDict()
        self._lock = asyncio.Lock()

    @property
    def _store(self) -> Store:
        return self._find_store()

    # -- following changes

    async def run(self, *, trims: bool) -> None:
        """Until cancelled. trims: whether this process also forgets what is gone."""
        listening = asyncio.ensure_future(self._listen())
        trimmed = self._clock.monotonic()
        try:
            while True:
                await self._clock.sleep(self._interval)
                try:
                    await self.refresh()
                    if trims and self.in_use and self._clock.monotonic() - trimmed > _TRIM_S:
                        trimmed = self._clock.monotonic()
                        await self._store.trim_placements(_TRIM)
                except StoreUnavailable:
                    continue
        finally:
            listening.cancel()

    async def _listen(self) -> None:
        with self._bus().subscribe(PROJECTS_CHANGED) as messages:
            async for _ in messages:
                self._revision = -1
                try:
                    await self.refresh()
                except StoreUnavailable:
                    continue

    async def refresh(self) -> None:
        """Read what has changed. Raises `StoreUnavailable`."""
        async with self._lock:
            revision = await self._store.project_revision()
            if revision == self._revision:
                return
            changes = self._changes
            projects = {each.id: each for each in await self._store.projects()} if revision else {}
            members: dict[str, list[ProjectMember]] = {}
            for each in await self._store.project_members() if revision else ():
                members.setdefault(each.user_id, []).append(each)
            self._projects, self._members = projects, members
            self._places.clear()
            self._shares.clear()
            self.in_use = revision > 0
            if changes == self._changes:
                self._revision = revision

    async def changed(self) -> None:
        self._changes += 1
        self._revision = -1
        self._bus().publish(PROJECTS_CHANGED, {})
        await self.refresh()

    # -- rights

    async def rights(self) -> Rights | None:
        reach = present_reach()
        return None if reach is None else await self.rights_of(reach)

    async def rights_of(self, reach: Reach) -> Rights | None:
        if isinstance(reach, CallerReach):
            return await self._callers(reach)
        if isinstance(reach, ProjectReach):
            return Rights({reach.project_id: "project:editor"}, reach.project_id)
        if not self.in_use:
            return None
        if reach.workflow_id is not None:
            project = await self.project_of("workflow", reach.workflow_id)
        else:
            project = await self.project_of("execution", reach.execution_id)
        return Rights({project: "project:editor"}, project) if project else Rights({})

    async def _callers(self, reach: CallerReach) -> Rights | None:
        caller = reach.caller
        limited = caller.projects is not None or bool(reach.project)
        if not limited and (not self.in_use or caller.role == "admin"):
            return None
        if self._revision < 0:
            await self.refresh()
        roles = await self._narrowed(reach) if caller.role == "admin" else self.roles_of(caller)
        if caller.projects is not None:
            roles = {project: role for project, role in roles.items() if project in caller.projects}
        if reach.project:
            if reach.project not in roles:
                raise NotFound("There is no such project.", details={"project": "give the id of one of yours"})
            roles = {reach.project: roles[reach.project]}
        return Rights(roles, _target(roles, caller))

    async def _narrowed(self, reach: CallerReach) -> dict[str, ProjectRole]:
        """An administrator's, of a key or a request that is limited."""
        wanted = {*(reach.caller.projects or ()), *([reach.project] if reach.project else ())}
        return {each: "project:admin" for each in wanted if await self.project(each) is not None}

    def roles_of(self, caller: Principal) -> dict[str, ProjectRole]:
        """Of a user who is no administrator."""
        roles: dict[str, ProjectRole] = {caller.user_id: "project:admin"}
        if self.is_open:
            roles[SHARED] = OPEN_ROLES.get(caller.role, "project:viewer")
        for member in self._members.get(caller.user_id, ()):
            roles[member.project_id] = member.role
        return roles

    async def is_member(self, project_id: str, user: User) -> bool:
        if self._revision < 0:
            await self.refresh()
        return project_id in self.roles_of(Principal(user.id, user.username, user.role, ""))

    @property
    def is_open(self) -> bool:
        """Whether everybody is a member of the shared project."""
        shared = self._projects.get(SHARED)
        return shared is None or shared.is_open

    # -- where things are

    async def project(self, project_id: str) -> Project | None:
        if self._revision < 0:
            await self.refresh()
        if (found := self._projects.get(project_id)) is not None:
            return found
        if project_id == SHARED:
            return Project(SHARED, SHARED_NAME, 0, 0, is_open=True)
        user = await self._store.user(project_id)
        if user is None:
            return None
        return Project(user.id, user.display_name or user.username, user.created_at, user.created_at)

    async def project_of(self, kind: ResourceKind, resource_id: str) -> str:
        if not self.in_use:
            return SHARED
        return (await self._placed(kind, [resource_id]))[resource_id]

    async def sees(self, kind: ResourceKind, resource_id: str) -> bool:
        return resource_id in await self.seen(kind, [resource_id])

    async def seen(self, kind: ResourceKind, ids: Sequence[str]) -> set[str]:
        rights = await self.rights()
        if rights is None:
            return set(ids)
        placed = await self._placed(kind, ids)
        found = {ident for ident in ids if rights.may(placed[ident], "read")}
        hidden = [ident for ident in ids if ident not in found]
        if hidden:
            shares = await self._shared(kind, hidden)
            found |= {ident for ident in hidden if not shares[ident].isdisjoint(rights.roles)}
        return found

    async def require(self, kind: ResourceKind, resource_id: str, right: Right) -> bool:
        rights = await self.rights()
        if rights is None:
            return True
        project = (await self._placed(kind, [resource_id]))[resource_id]
        if rights.may(project, right):
            return True
        shares = (await self._shared(kind, [resource_id]))[resource_id] if right == "start" else ()
        if any(rights.may(each, right) for each in shares):
            return True
        if not await self.sees(kind, resource_id):
            return False
        if right == "read":
            return True
        role = NEEDED[right]
        raise AccessDenied(f"This needs the role {role} in the project that has it.", details={"role": role})

    async def _placed(self, kind: ResourceKind, ids: Sequence[str]) -> dict[str, str]:
        found = {ident: place for ident in ids if (place := self._places.get((kind, ident))) is not None}
        missing = [ident for ident in ids if ident not in found]
        if missing:
            revision = self._revision
            stored = await self._store.placements(kind, missing)
            for ident in missing:
                found[ident] = stored.get(ident, UNPLACED.get(kind, SHARED))
                if found[ident] and revision == self._revision >= 0:
                    self._places[kind, ident] = found[ident]
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        return found

    async def _shared(self, kind: ResourceKind, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        found = {ident: shares for ident in ids if (shares := self._shares.get((kind, ident))) is not None}
        missing = [ident for ident in ids if ident not in found]
        if missing:
            revision = self._revision
            stored = await self._store.shares(kind, missing)
            for ident in missing:
                found[ident] = frozenset(stored.get(ident, ()))
                if revision == self._revision >= 0:
                    self._shares[kind, ident] = found[ident]
            while len(self._shares) > self._most:
                self._shares.popitem(last=False)
        return found


def _target(roles: dict[str, ProjectRole], caller: Principal) -> str:
    """Where somebody makes new things without saying where: in the shared project, as before there were others, else
    in their own."""
    writable = [project for project, role in roles.items() if role != "project:viewer"]
    for wanted in (SHARED, caller.user_id):
        if wanted in writable:
            return wanted
    return min(writable, default="")
