"""The actions of callers on projects, their members, and the places of things."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from jackfield.api.auth import OWNER, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, NotFound
from jackfield.api.gateway import VirtualKeys
from jackfield.api.hosts import HostCalls, Hosts
from jackfield.api.ids import new_id
from jackfield.api.node_rules import ProjectNodeRules
from jackfield.api.profiles import Profiles, has_profile
from jackfield.api.projects import CallerReach, ProjectAccess, Rights, reaching, whole_store
from jackfield.api.records import record, replace
from jackfield.api.storage import (
    RESOURCE_KINDS,
    SHARED,
    Project,
    ProjectMember,
    ProjectRole,
    ResourceKind,
    Store,
    User,
)

MOST = 1000
"""Team projects."""
_TRIMMED = 1000
"""Placements of what is gone that are forgotten before somebody counts."""
_ROLES: Mapping[str, ProjectRole] = {
    "viewer": "project:viewer", "member": "project:editor", "admin": "project:admin",
}  # fmt: skip
_UNKNOWN = "There is no project with this id."


@record
class SeenProject:
    """role: the caller's; None: the caller is no member."""

    project: Project
    is_personal: bool
    role: ProjectRole | None


@record
class ResourcePlacement:
    kind: ResourceKind
    id: str
    project_id: str
    shared_with: Sequence[str]


class ProjectDesk:
    """One per daemon, as a part. It decides who may do what, for the API, its n8n form and the commands alike.

    Administrators do everything; a project's own administrators rename it, name its members, and share and move what
    belongs to it. API keys with scopes, or with projects, change no members.
    """

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._access = context.port(ProjectAccess)

    @property
    def _store(self) -> Store:
        return whole_store(self._context.store)

    @property
    def in_use(self) -> bool:
        return self._access.in_use

    # -- projects

    async def every(self, caller: Principal) -> list[SeenProject]:
        """Those that the caller is in; for administrators all, but for personal projects of others."""
        rights = await self._rights(caller)
        known = {each.id: each for each in await self._store.projects()}
        ids = [SHARED, *known] if rights is None else [*rights.roles]
        if rights is None and caller.user_id != OWNER.user_id:
            ids.append(caller.user_id)
        found = [await self._seen(each, caller, rights) for each in dict.fromkeys(ids)]
        kept = [each for each in found if each is not None]
        return sorted(
            kept, key=lambda each: (each.project.id != SHARED, each.is_personal, each.project.name.casefold())
        )

    async def find(self, project_id: str, caller: Principal) -> SeenProject:
        """Raises `NotFound` also for one that the caller is not in."""
        rights = await self._rights(caller)
        found = None
        if rights is None or project_id in rights.roles:
            found = await self._seen(project_id, caller, rights)
        if found is None:
            raise NotFound(_UNKNOWN)
        return found

    async def create(self, name: str, caller: Principal) -> SeenProject:
        """A team project, whose administrator the caller is. Raises `AccessDenied`, `Conflict`."""
        caller.require_admin()
        if len(await self._store.projects()) >= MOST:
            raise Conflict(f"There are {MOST} projects already; delete one first.")
        now = self._context.clock.now_ms()
        project = Project(new_id(), name, now, now)
        await self._store.put_project(project)
        if await self._store.user(caller.user_id) is not None:
            await self._store.put_project_member(ProjectMember(project.id, caller.user_id, "project:admin"))
        await self._changed(f"The project {project.id} was created", caller)
        return await self.find(project.id, caller)

    async def change(
        self, project_id: str, caller: Principal, *, name: str | None = None, is_open: bool | None = None
    ) -> SeenProject:
        """Raises `NotFound`, `AccessDenied`, `InvalidInput`, and `Conflict` for a name that a rule of node types
        has."""
        present = await self._team(project_id, caller)
        rules = self._context.find_port(ProjectNodeRules)
        if rules is not None and name and name != present.project.name:
            await rules.check_rename(project_id)
        if is_open is not None and project_id != SHARED:
            raise InvalidInput("Only the shared project can be open.", details={"isOpen": "leave it out"})
        now = self._context.clock.now_ms()
        changed = replace(
            present.project,
            name=name or present.project.name,
            is_open=present.project.is_open if is_open is None else is_open,
            updated_at=now,
        )
        await self._store.put_project(replace(changed, created_at=changed.created_at or now))
        await self._changed(f"The project {project_id} was changed", caller)
        return await self.find(project_id, caller)

    async def holdings(self, project_id: str, caller: Principal) -> Mapping[ResourceKind, int]:
        """How many things of each kind belong to it, those of which there are any. Of the shared project, which has
        whatever has no row: none. Raises `NotFound`."""
        await self.find(project_id, caller)
        if project_id == SHARED:
            return {}
        await self._store.trim_placements(_TRIMMED)
        found = {kind: len(await self._store.placed(project_id, kind)) for kind in RESOURCE_KINDS}
        return {kind: number for kind, number in found.items() if number}

    async def delete(self, project_id: str, caller: Principal, *, moving_to: str | None = None) -> None:
        """moving_to: the project that gets what belongs to it. Raises `NotFound`, `InvalidInput`, `AccessDenied`, and
        `Conflict` for one that still has something, and for the shared one. `AccessDenied` is also raised for one
        whose workflow has a node that the other project excludes."""
        await self._team(project_id, caller)
        caller.require_admin()
        if project_id == SHARED:
            raise Conflict("The shared project stays: it has whatever is in no other one.")
        if moving_to is not None:
            if moving_to == project_id or await self._access.project(moving_to) is None:
                raise InvalidInput("Nothing can move there.", details={"movingTo": "give the id of another project"})
            for workflow_id in await self._store.placed(project_id, "workflow"):
                with suppress(NotFound):  # it was deleted, and its place is not trimmed yet
                    await self._check_rules(workflow_id, moving_to, caller)
            for kind in RESOURCE_KINDS:
                ids = await self._store.placed(project_id, kind)
                await self._store.place_resources(kind, ids, moving_to)
        await self._store.trim_placements(_TRIMMED)
        if not await self._store.delete_project(project_id):
            raise NotFound(_UNKNOWN)
        await self._changed(f"The project {project_id} was deleted", caller)

    # -- members

    async def members(self, project_id: str, caller: Principal) -> list[tuple[User, ProjectRole]]:
        """By name. Raises `NotFound`."""
        seen = await self.find(project_id, caller)
        users = {user.id: user for user in await self._store.users()}
        roles: dict[str, ProjectRole] = {}
        if seen.is_personal:
            roles[project_id] = "project:admin"
        if seen.project.is_open:
            roles |= {user.id: _ROLES.get(user.role, "project:viewer") for user in users.values()}
        roles |= {each.user_id: each.role for each in await self._store.project_members(project_id)}
        found = [(users[user_id], role) for user_id, role in roles.items() if user_id in users]
        return sorted(found, key=lambda each: each[0].username)

    async def put_member(self, project_id: str, user: str, role: ProjectRole, caller: Principal) -> User:
        """user: id or name. Raises `NotFound`, `AccessDenied`, `Conflict` for a personal project."""
        seen = await self._team(project_id, caller)
        found = await self._user(user)
        if project_id == SHARED:  # its row may not be there yet
            await self._store.put_project(replace(seen.project, created_at=seen.project.created_at or 1))
        await self._store.put_project_member(ProjectMember(project_id, found.id, role))
        await self._changed(f"The user {found.id} is {role} of the project {project_id}", caller)
        return found

    async def remove_member(self, project_id: str, user: str, caller: Principal) -> None:
        """Raises `NotFound`, `AccessDenied`, `Conflict`."""
        await self._team(project_id, caller)
        found = await self._user(user)
        if not await self._store.delete_project_member(project_id, found.id):
            raise NotFound("The user is no member of the project by name.")
        await self._changed(f"The user {found.id} left the project {project_id}", caller)

    # -- where things belong

    async def placements(self, kind: ResourceKind, ids: Sequence[str], caller: Principal) -> list[ResourcePlacement]:
        """Of those of these that the caller sees."""
        with reaching(CallerReach(caller)):
            seen = await self._access.seen(kind, ids)
        wanted = [ident for ident in ids if ident in seen and await self._exists(kind, ident)]
        places, shares = await self._store.placements(kind, wanted), await self._store.shares(kind, wanted)
        return [ResourcePlacement(kind, each, places.get(each, SHARED), shares.get(each, ())) for each in wanted]

    async def placement(self, kind: ResourceKind, resource_id: str, caller: Principal) -> ResourcePlacement:
        """Raises `NotFound`."""
        found = await self.placements(kind, [resource_id], caller)
        if not found:
            raise NotFound(f"There is no {kind} with this id.")
        return found[0]

    async def move(self, kind: ResourceKind, resource_id: str, project_id: str, caller: Principal) -> ResourcePlacement:
        """Into another project. Raises `NotFound`, `AccessDenied`."""
        present = await self.placement(kind, resource_id, caller)
        if present.project_id == project_id:
            return present
        await self._may_give(kind, resource_id, caller)
        rights = await self._rights(caller)
        await self._must_exist(project_id, rights)
        if rights is not None and not rights.may(project_id, "write"):
            raise AccessDenied("This needs the role project:editor in the project that gets it.")
        if kind == "workflow":
            await self._check_rules(resource_id, project_id, caller)
            await self._store.move_workflow(resource_id, None)  # its folder belongs to the project that it leaves
        await self._store.place_resources(kind, [resource_id], project_id)
        await self._changed(f"The {kind} {resource_id} was moved to the project {project_id}", caller)
        return ResourcePlacement(
            kind, resource_id, project_id, (await self._store.shares(kind, [resource_id])).get(resource_id, ())
        )

    async def _check_rules(self, workflow_id: str, project_id: str, caller: Principal) -> None:
        """Raises `AccessDenied` for a node that the project excludes."""
        rules = self._context.find_port(ProjectNodeRules)
        if rules is not None:
            with reaching(CallerReach(caller)):
                await rules.check_move(workflow_id, project_id, caller)

    async def share(
        self, kind: ResourceKind, resource_id: str, project_id: str, caller: Principal
    ) -> ResourcePlacement:
        """Let another project use it; a user's id stands for the personal project. Raises `NotFound`,
        `AccessDenied`."""
        await self._may_give(kind, resource_id, caller)
        await self._must_exist(project_id)
        await self._store.share_resource(kind, resource_id, project_id)
        await self._changed(f"The {kind} {resource_id} was shared with the project {project_id}", caller)
        return await self.placement(kind, resource_id, caller)

    async def unshare(self, kind: ResourceKind, resource_id: str, project_id: str, caller: Principal) -> None:
        """Raises `NotFound`, `AccessDenied`."""
        await self._may_give(kind, resource_id, caller)
        if not await self._store.unshare_resource(kind, resource_id, project_id):
            raise NotFound("It is not shared with this project.")
        await self._changed(f"The {kind} {resource_id} is no more shared with the project {project_id}", caller)

    # -- how

    async def _rights(self, caller: Principal) -> Rights | None:
        with reaching(CallerReach(caller)):
            rights = await self._access.rights()
        if rights is None and caller.role != "admin" and caller != OWNER:  # nothing is in use yet
            return Rights({SHARED: _ROLES.get(caller.role, "project:viewer"), caller.user_id: "project:admin"}, SHARED)
        return rights

    async def _seen(self, project_id: str, caller: Principal, rights: Rights | None) -> SeenProject | None:
        project = await self._access.project(project_id)
        if project is None:
            return None
        is_personal = project_id != SHARED and await self._is_personal(project_id)
        role = None if rights is None else rights.roles.get(project_id)
        if rights is None and project_id == caller.user_id:
            role = "project:admin"
        return SeenProject(project, is_personal, role)

    async def _is_personal(self, project_id: str) -> bool:
        return all(each.id != project_id for each in await self._store.projects())

    async def _team(self, project_id: str, caller: Principal) -> SeenProject:
        """One whose members and name the caller may change. Raises `NotFound`, `AccessDenied`, `Conflict`."""
        seen = await self.find(project_id, caller)
        if caller.is_limited:
            raise AccessDenied("An API key with scopes or projects changes no project.")
        if caller.role == "viewer":
            raise AccessDenied("A viewer changes nothing; it needs the role member.", details={"role": "member"})
        rights = await self._rights(caller)
        if rights is not None and not rights.may(project_id, "admin"):
            raise AccessDenied("This needs the role project:admin in the project.", details={"role": "project:admin"})
        if project_id == SHARED:
            caller.require_admin()
        if seen.is_personal:
            raise Conflict("A personal project has its user alone; share what belongs to it instead.")
        return seen

    async def _may_give(self, kind: ResourceKind, resource_id: str, caller: Principal) -> None:
        """Raises `NotFound`, `AccessDenied`."""
        with reaching(CallerReach(caller)):
            known = await self._access.require(kind, resource_id, "admin")
            if not self._access.in_use and caller.role != "admin":
                raise AccessDenied("This needs the role admin.", details={"role": "admin"})
        if not known or not await self._exists(kind, resource_id):
            raise NotFound(f"There is no {kind} with this id.")

    async def _must_exist(self, project_id: str, rights: Rights | None = None) -> None:
        """rights: of whoever must be in it. Raises `NotFound`."""
        hidden = rights is not None and project_id not in rights.roles
        if hidden or await self._access.project(project_id) is None:
            raise NotFound(_UNKNOWN)

    async def _exists(self, kind: ResourceKind, resource_id: str) -> bool:
        async def variable(ident: str) -> object:
            return next((each for each in await self._store.variables() if each.id == ident), None)

        find: Mapping[str, Callable[[str], Awaitable[object]]] = {
            "workflow": self._store.workflow_row,
            "credential": self._store.credential,
            "variable": variable,
            "data-table": self._store.data_table,
            "profile": self._profile,
            "virtual-key": self._virtual_key,
        }
        return kind in find and await find[kind](resource_id) is not None

    async def _profile(self, alias: str) -> object:
        """At whichever host it is."""
        profiles, calls = self._context.find_port(Profiles), self._context.find_port(HostCalls)
        if profiles is not None and await has_profile(profiles, alias):
            return alias
        others = self._context.port(Hosts).others and calls is not None and await calls.find("profile", alias)
        return alias if others else None

    async def _virtual_key(self, key_id: str) -> object:
        keys = self._context.find_port(VirtualKeys)
        return key_id if keys is not None and await keys.has(key_id) else None

    async def _user(self, given: str) -> User:
        found = await self._store.user(given) or await self._store.user_by_name(given)
        if found is None:
            raise NotFound("There is no user with this id or name.")
        return found

    async def _changed(self, what: str, caller: Principal) -> None:
        await self._access.changed()
        self._context.log.info("%s by %s.", what, caller.user_id)
        self._context.events.publish("workflows", "projects.changed", {})
