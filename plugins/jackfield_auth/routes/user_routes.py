"""`/api/v1/users`: administrators manage users."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http import operation, principal, read_model, read_query
from jackfield.api.storage import User
from jackfield_auth.mails.addresses import check_address
from jackfield_auth.routes.answers import answer, done
from jackfield_auth.routes.schemas import AuthPaging, NewUserBody, UserChange, UserList, UserRow
from jackfield_auth.service import AuthService


def user_routes(auth: AuthService) -> Blueprint:
    routes = Blueprint("users", __name__, url_prefix="/api/v1/users")
    log = auth.context.log

    @routes.get("")
    @operation(
        "List users", operation_id="listUsers", scope="admin", response=UserList, query=AuthPaging, tags=["users"]
    )
    async def users() -> Response:
        asked = read_query(AuthPaging)
        offset, limit = asked.offset, asked.limit
        found = await auth.accounts.all()
        rows = [await shown(user) for user in found[offset : offset + limit]]
        return answer(UserList(data=rows, total=len(found), offset=offset, limit=limit))

    @routes.post("")
    @operation(
        "Add a user",
        operation_id="createUser",
        scope="admin",
        request=NewUserBody,
        response=UserRow,
        status=201,
        tags=["users"],
        errors=(Conflict,),
    )
    async def add() -> Response:
        body = await read_model(NewUserBody)
        if body.mail:
            check_address(body.mail)
        user = await auth.accounts.create(body.username, body.password, body.role)
        if body.mail:
            await auth.mail.addresses.put(user.id, body.mail)
        log.info("User %s was added by %s.", user.id, principal().user_id)
        return answer(await shown(user), 201)

    @routes.get("/<user_id>")
    @operation("Show a user", operation_id="getUser", scope="admin", response=UserRow, tags=["users"])
    async def show(user_id: str) -> Response:
        return answer(await shown(await auth.accounts.get(user_id)))

    @routes.patch("/<user_id>")
    @operation(
        "Change a user's role, password or mail address, or disable the user",
        operation_id="updateUser",
        scope="admin",
        request=UserChange,
        response=UserRow,
        tags=["users"],
        errors=(Conflict,),
    )
    async def change(user_id: str) -> Response:
        body = await read_model(UserChange)
        if body.role is None and body.password is None and body.disabled is None and body.mail is None:
            raise InvalidInput("There is nothing to change.", details={"body": "give role, password, disabled or mail"})
        if body.mail:
            check_address(body.mail)
        user = await auth.accounts.change(user_id, role=body.role, password=body.password, disabled=body.disabled)
        if body.password is not None and principal().user_id != user_id:
            auth.mail.tell_later(user, "password", await auth.mail.addresses.of(user))
        if body.mail is not None:
            await change_mail(user, body.mail)
        log.info("User %s was changed by %s.", user.id, principal().user_id)
        return answer(await shown(user))

    @routes.delete("/<user_id>")
    @operation(
        "Delete a user with their API keys",
        operation_id="deleteUser",
        scope="admin",
        status=204,
        tags=["users"],
        errors=(Conflict,),
    )
    async def delete(user_id: str) -> Response:
        await auth.accounts.delete(user_id)
        log.info("User %s was deleted by %s.", user_id, principal().user_id)
        return done()

    async def shown(user: User) -> UserRow:
        return view(user, await auth.mail.addresses.of(user))

    async def change_mail(user: User, address: str) -> None:
        await auth.forgotten.change_address(user, address)

    return routes


def view(user: User, mail: str) -> UserRow:
    return UserRow(
        id=user.id,
        username=user.username,
        role=user.role,
        created_at=iso(user.created_at),
        disabled=user.disabled,
        provider=user.provider or None,
        display_name=user.display_name or None,
        mail=mail or None,
    )
