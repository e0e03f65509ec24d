"""n8n's `/users`: users in n8n's shape."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.n8n_api import N8N_PREFIX
from jackfield.api.n8n_pages import asked_cursor, page
from jackfield.api.projects import ProjectAccess
from jackfield.api.storage import SHARED, User
from jackfield_auth.routes.answers import done
from jackfield_auth.routes.link_routes import LinkMail, address_of, mailed
from jackfield_auth.routes.n8n_schemas import (
    N8nInvitation,
    N8nInvitations,
    N8nInvited,
    N8nRoleBody,
    N8nUser,
    N8nUserPage,
    N8nUserQuery,
    N8nUsersQuery,
)
from jackfield_auth.service import AuthService

USERS = ("n8n users",)
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
        found = await auth.accounts.all()
        if query.project_id:
            found = [user for user in found if await _is_member(auth.context, query.project_id, user)]
        rows = found[cursor.offset : cursor.offset + cursor.limit]
        return json_response(page([await user_view(auth, user) for user in rows], cursor.after(len(rows), len(found))))

    @routes.post("/users")
    @operation(
        "Invite users; the answer has the link of each, which is shown this once",
        operation_id="inviteUsers",
        scope="admin",
        request=N8nInvitations,
        response=N8nInvited,
        tags=USERS,
        errors=(Conflict,),
    )
    async def invite() -> Response:
        body = await read_model(N8nInvitations)
        answers, mail = list[Json](), LinkMail(sent=False)
        for each in body.root:
            told, mail = await _invited(auth, each, mail)
            answers.append(told)
        return json_response(answers)

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
        return json_response(await user_view(auth, await _user(auth, user_id)))

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
        return json_response(await user_view(auth, user))

    return routes


async def user_view(auth: AuthService, user: User) -> dict[str, Json]:
    """A user. email: the name that they log in with, which need not be an address."""
    has_factor = await auth.second_steps.has_one(user.id)
    first, _, last = (user.display_name or user.username).partition(" ")
    return {
        "id": user.id,
        "email": user.username,
        "firstName": first,
        "lastName": last,
        "isPending": False,
        "mfaEnabled": has_factor,
        "createdAt": iso(user.created_at),
        "updatedAt": iso(user.created_at),
        "role": ROLES.get(user.role, user.role),
    }


async def _invited(auth: AuthService, asked: N8nInvitation, before: LinkMail) -> tuple[Json, LinkMail]:
    """One of them as n8n answers it: what is wrong with it keeps no other from being invited. before: the mail of the
    one before; a server that is away is not waited for again."""
    role = OUR_ROLES.get(asked.role)
    if role is None:
        told = f"The role must be one of: {', '.join(OUR_ROLES)}."
        return {"user": {"email": asked.email}, "error": told}, before
    if await auth.store().user_by_name(asked.email) is not None:
        return {"user": {"email": asked.email}, "error": "There is a user of this name already."}, before
    made = await auth.links.invite(asked.email, role, {}, principal().user_id, None)
    address = address_of(auth, made.token)
    shown: dict[str, Json] = {"id": made.link.id, "email": asked.email, "inviteAcceptUrl": address}
    mail = before if before.is_away else await mailed(auth, made)
    return {"user": {**shown, "emailSent": mail.sent}, "error": mail.problem or ""}, mail


async def _user(auth: AuthService, given: str) -> User:
    """By id or name. Raises `NotFound`."""
    try:
        return await auth.accounts.get(given)
    except NotFound:
        return await auth.accounts.named(given)


async def _is_member(context: PluginContext, project_id: str, user: User) -> bool:
    access = context.find_port(ProjectAccess)
    return project_id == SHARED if access is None else await access.is_member(project_id, user)
