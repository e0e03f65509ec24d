"""`/projects` and `/placements`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from quart import Response

from jackfield.api.auth import AGENTS_WRITE
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.storage import ProjectRole, ResourceKind, User
from jackfield_projects.service import ProjectDesk, ResourcePlacement, SeenProject

if TYPE_CHECKING:
    from jackfield_projects.schemas import (
        MemberBody,
        NewProject,
        PlacementBody,
        PlacementsQuery,
        ProjectChange,
        ProjectEnd,
    )

View: TypeAlias = Callable[..., Awaitable[Response]]
Route: TypeAlias = "tuple[str, str, View]"
TAGS = ("projects",)
MOST = 200
SCOPES: Mapping[ResourceKind, str] = {
    "workflow": "workflows:write",
    "credential": "credentials:write",
    "variable": "workflows:write",
    "data-table": "data-tables:write",
    "profile": AGENTS_WRITE,
    "virtual-key": AGENTS_WRITE,
}
"""Kind -> the scope for moving and sharing it."""
KINDS: Sequence[ResourceKind] = tuple(SCOPES)


def schema(name: str) -> str:
    """Where the model of this name is."""
    return f"jackfield_projects.schemas:{name}"


def model(name: str) -> Any:  # of a request: the view says which model it is
    return load(schema(name))


class ProjectRoutes:
    """Projects and their members."""

    name = "projects"

    def __init__(self, context: PluginContext) -> None:
        self._desk = context.port(ProjectDesk)

    def routes(self) -> Sequence[Route]:
        one = "/projects/<project_id>"
        member = f"{one}/members/<user_id>"
        return (
            ("GET", "/projects", self.list_projects),
            ("POST", "/projects", self.create_project),
            ("GET", one, self.get_project),
            ("PATCH", one, self.update_project),
            ("DELETE", one, self.delete_project),
            ("GET", f"{one}/members", self.list_project_members),
            ("PUT", member, self.put_project_member),
            ("DELETE", member, self.remove_project_member),
        )

    @operation("List the caller's projects", scope=None, response=schema("ProjectList"), tags=TAGS)
    async def list_projects(self) -> Response:
        found = await self._desk.every(principal())
        rows: list[Json] = [project_view(each) for each in found]
        return json_response({"data": rows, "total": len(rows), "inUse": self._desk.in_use})

    @operation(
        "Create a team project",
        scope="admin",
        request=schema("NewProject"),
        response=schema("ProjectShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_project(self) -> Response:
        body: NewProject = await read_model(model("NewProject"))
        return json_response(project_view(await self._desk.create(body.name, principal())), 201)

    @operation("Read a project, and how much belongs to it", scope=None, response=schema("ProjectWhole"), tags=TAGS)
    async def get_project(self, project_id: str) -> Response:
        found = project_view(await self._desk.find(project_id, principal()))
        holds = await self._desk.holdings(project_id, principal())
        return json_response({**found, "holds": {str(kind): number for kind, number in holds.items()}})

    @operation(
        "Rename a project, or close the shared one to those who are no members by name",
        scope=None,
        request=schema("ProjectChange"),
        response=schema("ProjectShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def update_project(self, project_id: str) -> Response:
        await self._desk.find(project_id, principal())
        body: ProjectChange = await read_model(model("ProjectChange"))
        found = await self._desk.change(project_id, principal(), name=body.name, is_open=body.is_open)
        return json_response(project_view(found))

    @operation(
        "Delete a team project that has nothing any more, or move what it has to another one",
        scope="admin",
        query=schema("ProjectEnd"),
        status=204,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def delete_project(self, project_id: str) -> Response:
        query: ProjectEnd = read_query(model("ProjectEnd"))
        await self._desk.delete(project_id, principal(), moving_to=query.moving_to)
        return Response(status=204)

    @operation("List the members of a project", scope=None, response=schema("MemberList"), tags=TAGS)
    async def list_project_members(self, project_id: str) -> Response:
        found = await self._desk.members(project_id, principal())
        rows: list[Json] = [member_view(user, role) for user, role in found]
        return json_response({"data": rows, "total": len(rows)})

    @operation(
        "Add a member, by id or name, or change the member's role",
        scope=None,
        request=schema("MemberBody"),
        response=schema("MemberShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def put_project_member(self, project_id: str, user_id: str) -> Response:
        await self._desk.find(project_id, principal())
        body: MemberBody = await read_model(model("MemberBody"))
        user = await self._desk.put_member(project_id, user_id, body.role, principal())
        return json_response(member_view(user, body.role))

    @operation("Remove a member", scope=None, status=204, tags=TAGS, errors=(Conflict,))
    async def remove_project_member(self, project_id: str, user_id: str) -> Response:
        await self._desk.remove_member(project_id, user_id, principal())
        return Response(status=204)


class PlacementRoutes:
    """Where workflows, credentials and others belong."""

    name = "placements"

    def __init__(self, context: PluginContext) -> None:
        self._desk = context.port(ProjectDesk)

    def routes(self) -> Sequence[Route]:
        one = "/placements/<kind>/<resource_id>"
        share = f"{one}/shares/<project_id>"
        return (
            ("GET", "/placements", self.list_placements),
            ("GET", one, self.get_placement),
            ("PUT", one, self.move_resource),
            ("PUT", share, self.share_resource),
            ("DELETE", share, self.unshare_resource),
        )

    @operation(
        "Tell where several things of a kind belong",
        scope=None,
        query=schema("PlacementsQuery"),
        response=schema("PlacementList"),
        tags=TAGS,
    )
    async def list_placements(self) -> Response:
        query: PlacementsQuery = read_query(model("PlacementsQuery"))
        ids = [ident for ident in query.ids.split(",") if ident]
        if len(ids) > MOST:
            raise InvalidInput("Too many ids.", details={"ids": f"give {MOST} at most"})
        found = await self._desk.placements(query.kind, ids, principal())
        return json_response({"data": [placement_view(each) for each in found]})

    @operation("Tell where something belongs", scope=None, response=schema("PlacementShown"), tags=TAGS)
    async def get_placement(self, kind: str, resource_id: str) -> Response:
        return json_response(placement_view(await self._desk.placement(kind_of(kind), resource_id, principal())))

    @operation(
        "Move something to another project",
        scope="workflows:write",
        request=schema("PlacementBody"),
        response=schema("PlacementShown"),
        tags=TAGS,
    )
    async def move_resource(self, kind: str, resource_id: str) -> Response:
        known = changed_kind(kind)
        body: PlacementBody = await read_model(model("PlacementBody"))
        return json_response(placement_view(await self._desk.move(known, resource_id, body.project_id, principal())))

    @operation(
        "Let another project, or a user, use something",
        scope="workflows:write",
        response=schema("PlacementShown"),
        tags=TAGS,
    )
    async def share_resource(self, kind: str, resource_id: str, project_id: str) -> Response:
        found = await self._desk.share(changed_kind(kind), resource_id, project_id, principal())
        return json_response(placement_view(found))

    @operation("Share something no more", scope="workflows:write", status=204, tags=TAGS)
    async def unshare_resource(self, kind: str, resource_id: str, project_id: str) -> Response:
        await self._desk.unshare(changed_kind(kind), resource_id, project_id, principal())
        return Response(status=204)


def kind_of(given: str) -> ResourceKind:
    """Raises `NotFound`."""
    if given not in KINDS:
        raise NotFound(f"There is no kind {given[:32]}; give one of: {', '.join(KINDS)}.")
    return cast("ResourceKind", given)


def changed_kind(given: str) -> ResourceKind:
    """One that is moved or shared. Raises `NotFound`; `AccessDenied` without the scope that changes such a thing, which
    is asked for beside the operation's."""
    known = kind_of(given)
    principal().require(SCOPES[known])
    return known


def project_view(seen: SeenProject) -> dict[str, Json]:
    project = seen.project
    return {
        "id": project.id,
        "name": project.name,
        "kind": "personal" if seen.is_personal else "team",
        "isOpen": project.is_open,
        "role": seen.role,
        "createdAt": iso(project.created_at),
        "updatedAt": iso(project.updated_at),
    }


def member_view(user: User, role: ProjectRole) -> dict[str, Json]:
    return {"userId": user.id, "username": user.username, "displayName": user.display_name, "role": role}


def placement_view(placement: ResourcePlacement) -> dict[str, Json]:
    return {
        "kind": placement.kind,
        "id": placement.id,
        "projectId": placement.project_id,
        "sharedWith": list(placement.shared_with),
    }
