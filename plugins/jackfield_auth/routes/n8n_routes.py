"""n8n's `/users` and `/projects`: users in n8n's shape, and the only project, which everybody is in."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.n8n_api import N8N_PREFIX
from jackfield.api.n8n_pages import PROJECT, CursorQuery, asked_cursor, page
from jackfield.api.storage import User
from jackfield_auth.routes.answers import done
from jackfield_auth.routes.n8n_schemas import (
    MemberPage,
    N8nProject,
    N8nProjectPage,
    N8nRoleBody,
    N8nUser,
    N8nUserPage,
    N8nUserQuery,
    N8nUsersQuery,
)
from jackfield_auth.service import AuthService

USERS, PROJECTS = ("n8n users",), ("n8n projects",)
ROLES = {"viewer": "global:viewer", "member": "global:member", "admin": "global:admin"}
"""Ours -> n8n's."""
OUR_ROLES = {theirs: ours for ours, theirs in ROLES.items()}


def n8n_routes(auth: AuthService) -> Blueprint:
    routes = Blueprint("n8n_users", __name__, url_prefix=N8N_PREFIX)

    @routes.get("/users")
    @operation(
        "List users", operation_id="listUsers", scope="admin", query=N8nUsersQuery, response=N8nUserPage, tags=USERS
    )
    async def users() -> Response:
        query = read_query(N8nUsersQuery)
        cursor = asked_cursor(query, query.offset)
        found = await auth.accounts.all() if (query.project_id or PROJECT) == PROJECT else []
        rows = found[cursor.offset : cursor.offset + cursor.limit]
        return json_response(page([user_view(user) for user in rows], cursor.after(len(rows), len(found))))

    @routes.get("/users/<user_id>")
    @operation(
        "Read a user, by id or name",
        operation_id="getUser",
        scope="admin",
        query=N8nUserQuery,
        response=N8nUser,
        tags=USERS,
    )
    async def show(user_id: str) -> Response:
        return json_response(user_view(await _user(auth, user_id)))

    @routes.delete("/users/<user_id>")
    @operation(
        "Delete a user with their API keys",
        operation_id="deleteUser",
        scope="admin",
        status=204,
        tags=USERS,
        errors=(Conflict,),
    )
    async def delete(user_id: str) -> Response:
        user = await _user(auth, user_id)
        await auth.accounts.delete(user.id)
        auth.context.log.info("User %s was deleted by %s.", user.id, principal().user_id)
        return done()

    @routes.patch("/users/<user_id>/role")
    @operation(
        "Change a user's role",
        operation_id="changeUserRole",
        scope="admin",
        request=N8nRoleBody,
        response=N8nUser,
        tags=USERS,
        errors=(Conflict,),
    )
    async def change_role(user_id: str) -> Response:
        body = await read_model(N8nRoleBody)
        role = OUR_ROLES.get(body.new_role_name)
        if role is None:
            raise InvalidInput(
                "There is no such role.", details={"newRoleName": f"give one of: {', '.join(OUR_ROLES)}"}
            )
        user = await auth.accounts.change((await _user(auth, user_id)).id, role=role)
        auth.context.log.info("User %s was changed by %s.", user.id, principal().user_id)
        return json_response(user_view(user))

    @routes.get("/projects")
    @operation(
        "List the only project",
        operation_id="listProjects",
        scope=None,
        query=CursorQuery,
        response=N8nProjectPage,
        tags=PROJECTS,
    )
    async def projects() -> Response:
        cursor = asked_cursor(read_query(CursorQuery))
        rows = [await _project(auth)][cursor.offset :]
        return json_response(page(rows, None))

    @routes.get("/projects/<project_id>")
    @operation("Read the only project", operation_id="getProject", scope=None, response=N8nProject, tags=PROJECTS)
    async def project(project_id: str) -> Response:
        _known(project_id)
        return json_response(await _project(auth))

    @routes.get("/projects/<project_id>/users")
    @operation(
        "List who is in the project: every user",
        operation_id="listProjectUsers",
        scope="admin",
        query=CursorQuery,
        response=MemberPage,
        tags=PROJECTS,
    )
    async def members(project_id: str) -> Response:
        _known(project_id)
        cursor, found = asked_cursor(read_query(CursorQuery)), await auth.accounts.all()
        rows = found[cursor.offset : cursor.offset + cursor.limit]
        shown = [{**user_view(user), "role": f"project:{_PROJECT_ROLES[user.role]}"} for user in rows]
        return json_response(page(shown, cursor.after(len(rows), len(found))))

    return routes


_PROJECT_ROLES = {"viewer": "viewer", "member": "editor", "admin": "admin"}


def user_view(user: User) -> dict[str, Json]:
    """A user. email: the name that they log in with, which need not be an address."""
    first, _, last = (user.display_name or user.username).partition(" ")
    return {
        "id": user.id,
        "email": user.username,
        "firstName": first,
        "lastName": last,
        "isPending": False,
        "mfaEnabled": False,
        "createdAt": iso(user.created_at),
        "updatedAt": iso(user.created_at),
        "role": ROLES.get(user.role, user.role),
    }


async def _user(auth: AuthService, given: str) -> User:
    """By id or name. Raises `NotFound`."""
    try:
        return await auth.accounts.get(given)
    except NotFound:
        return await auth.accounts.named(given)


async def _project(auth: AuthService) -> dict[str, Json]:
    """Its times are those of the first user."""
    users: Sequence[User] = await auth.accounts.all()
    made = iso(min((user.created_at for user in users), default=0))
    more: dict[str, Json] = {"icon": None, "description": None, "customTelemetryTags": [], "creatorId": None}
    return {"id": PROJECT, "name": "Jackfield", "type": "personal", "createdAt": made, "updatedAt": made, **more}


def _known(project_id: str) -> None:
    if project_id != PROJECT:
        raise NotFound(f"There is one project, {PROJECT}.")
