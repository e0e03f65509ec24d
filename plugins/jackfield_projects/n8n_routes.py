"""n8n's `/projects`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.n8n_pages import CursorQuery, asked_cursor, page
from jackfield.api.storage import SHARED, ProjectRole, User
from jackfield_projects.routes import Route, model, schema
from jackfield_projects.service import ProjectDesk, SeenProject

if TYPE_CHECKING:
    from jackfield_projects.schemas import N8nMemberRole, N8nNewProject, N8nRelations

TAGS = ("n8n projects",)


class N8nProjectRoutes:
    """In n8n's shapes and with its statuses."""

    name = "n8n_projects"

    def __init__(self, context: PluginContext) -> None:
        self._desk = context.port(ProjectDesk)

    def routes(self) -> Sequence[Route]:
        one = "/projects/<project_id>"
        member = f"{one}/users/<user_id>"
        return (
            ("GET", "/projects", self.list_projects),
            ("POST", "/projects", self.create_project),
            ("GET", one, self.get_project),
            ("PUT", one, self.update_project),
            ("DELETE", one, self.delete_project),
            ("GET", f"{one}/users", self.list_project_users),
            ("POST", f"{one}/users", self.add_project_users),
            ("PATCH", member, self.change_project_user_role),
            ("DELETE", member, self.remove_project_user),
        )

    @operation(
        "List the caller's projects", scope=None, query=CursorQuery, response=schema("N8nProjectPage"), tags=TAGS
    )
    async def list_projects(self) -> Response:
        cursor = asked_cursor(read_query(CursorQuery))
        found = await self._desk.every(principal())
        if not self._desk.in_use:  # as long as there is one for everybody
            found = [each for each in found if each.project.id == SHARED]
        rows = found[cursor.offset : cursor.offset + cursor.limit]
        return json_response(page([self._view(each) for each in rows], cursor.after(len(rows), len(found))))

    @operation(
        "Create a team project",
        scope="admin",
        request=schema("N8nNewProject"),
        response=schema("N8nProject"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_project(self) -> Response:
        body: N8nNewProject = await read_model(model("N8nNewProject"))
        return json_response(self._view(await self._desk.create(body.name, principal())), 201)

    @operation("Read a project", scope=None, response=schema("N8nProject"), tags=TAGS)
    async def get_project(self, project_id: str) -> Response:
        return json_response(self._view(await self._desk.find(project_id, principal())))

    @operation(
        "Rename a project", scope=None, request=schema("N8nNewProject"), status=204, tags=TAGS, errors=(Conflict,)
    )
    async def update_project(self, project_id: str) -> Response:
        body: N8nNewProject = await read_model(model("N8nNewProject"))
        await self._desk.change(project_id, principal(), name=body.name)
        return Response(status=204)

    @operation("Delete a project", scope="admin", status=204, tags=TAGS, errors=(Conflict,))
    async def delete_project(self, project_id: str) -> Response:
        await self._desk.delete(project_id, principal())
        return Response(status=204)

    @operation(
        "List the members of a project", scope=None, query=CursorQuery, response=schema("N8nMemberPage"), tags=TAGS
    )
    async def list_project_users(self, project_id: str) -> Response:
        cursor = asked_cursor(read_query(CursorQuery))
        found = await self._desk.members(project_id, principal())
        rows = found[cursor.offset : cursor.offset + cursor.limit]
        return json_response(page([_member(*each) for each in rows], cursor.after(len(rows), len(found))))

    @operation(
        "Add members to a project",
        scope=None,
        request=schema("N8nRelations"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def add_project_users(self, project_id: str) -> Response:
        body: N8nRelations = await read_model(model("N8nRelations"))
        for each in body.relations:
            await self._desk.put_member(project_id, each.user_id, each.role, principal())
        return Response(status=201)

    @operation(
        "Change a member's role", scope=None, request=schema("N8nMemberRole"), status=204, tags=TAGS, errors=(Conflict,)
    )
    async def change_project_user_role(self, project_id: str, user_id: str) -> Response:
        body: N8nMemberRole = await read_model(model("N8nMemberRole"))
        await self._desk.put_member(project_id, user_id, body.role, principal())
        return Response(status=204)

    @operation("Remove a member", scope=None, status=204, tags=TAGS, errors=(Conflict,))
    async def remove_project_user(self, project_id: str, user_id: str) -> Response:
        await self._desk.remove_member(project_id, user_id, principal())
        return Response(status=204)

    def _view(self, seen: SeenProject) -> dict[str, Json]:
        """The shared project is a personal one as long as there is no other: clients look for one."""
        alone = seen.project.id == SHARED and not self._desk.in_use
        more: dict[str, Json] = {"icon": None, "description": None, "customTelemetryTags": [], "creatorId": None}
        return {
            "id": seen.project.id,
            "name": seen.project.name,
            "type": "personal" if seen.is_personal or alone else "team",
            "createdAt": iso(seen.project.created_at),
            "updatedAt": iso(seen.project.updated_at),
            **more,
        }


def _member(user: User, role: ProjectRole) -> dict[str, Json]:
    """email: the name that they log in with."""
    first, _, last = (user.display_name or user.username).partition(" ")
    return {
        "id": user.id,
        "email": user.username,
        "firstName": first,
        "lastName": last,
        "createdAt": iso(user.created_at),
        "updatedAt": iso(user.created_at),
        "role": role,
    }
