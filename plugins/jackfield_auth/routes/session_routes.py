"""`/api/v1/auth`: login, refresh, logout, me, one's own password."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.auth import Principal
from jackfield.api.clock import iso
from jackfield.api.errors import AuthRequired, Conflict, StoreUnavailable, TokenInvalid, UpstreamFailed
from jackfield.api.http import client_address, operation, principal, read_model
from jackfield.api.storage import User
from jackfield_auth.routes.answers import answer, caller_by, done
from jackfield_auth.routes.schemas import (
    LoginBody,
    LoginMethodList,
    LoginMethodView,
    MeView,
    PasswordBody,
    SessionView,
    UserView,
)
from jackfield_auth.service import AuthService
from jackfield_auth.users.accounts import found


def session_routes(auth: AuthService) -> Blueprint:
    routes = Blueprint("auth", __name__, url_prefix="/api/v1/auth")

    @routes.post("/login")
    @operation(
        "Log in with name and password",
        scope="public",
        request=LoginBody,
        response=SessionView,
        tags=["auth"],
        errors=(AuthRequired, Conflict, StoreUnavailable, UpstreamFailed),
    )
    async def login() -> Response:
        body = await read_model(LoginBody)
        auth.tokens.require_enabled()
        user = await auth.login_methods.verify(body.provider, body.username, body.password, client_address())
        return answer(await new_session(auth, user))

    @routes.get("/logins")
    @operation(
        "List the ways to log in", operation_id="listLogins", scope="public", response=LoginMethodList, tags=["auth"]
    )
    async def logins() -> Response:
        found = await auth.login_methods.all()
        rows = [LoginMethodView(name=method.name, title=method.title, kind=method.kind) for method in found]
        return answer(LoginMethodList(data=rows))

    @routes.post("/refresh")
    @operation(
        "Exchange the token for a new one", operation_id="refreshToken", scope=None, response=SessionView, tags=["auth"]
    )
    async def refresh() -> Response:
        caller = caller_by("jwt")
        user = found(await auth.store().user(caller.user_id))
        if not await end_token(auth, caller):
            raise TokenInvalid("The token has been refreshed or revoked already; log in again.")
        return answer(await new_session(auth, user))

    @routes.post("/logout")
    @operation("End the token", scope=None, status=204, tags=["auth"])
    async def logout() -> Response:
        await end_token(auth, caller_by("jwt"))
        return done()

    @routes.get("/me")
    @operation("Who the caller is", operation_id="getCurrentUser", scope=None, response=MeView, tags=["auth"])
    async def me() -> Response:
        caller = principal()
        return answer(MeView(id=caller.user_id, username=caller.username, role=caller.role, method=caller.method))

    @routes.post("/password")
    @operation(
        "Change one's own password, which ends all tokens",
        operation_id="changePassword",
        scope=None,
        request=PasswordBody,
        status=204,
        tags=["auth"],
        errors=(Conflict,),
    )
    async def password() -> Response:
        caller = caller_by("jwt", "basic", "session")
        body = await read_model(PasswordBody)
        await auth.change_own_password(caller, body.current, body.new, client_address())
        return done()

    return routes


async def new_session(auth: AuthService, user: User) -> SessionView:
    """A token for the user, as the answer shows it."""
    issued = await auth.tokens.issue(user)
    view = UserView(id=user.id, username=user.username, role=user.role)
    return SessionView(token=issued.token, expires_at=iso(issued.expires_at), user=view)


async def end_token(auth: AuthService, caller: Principal) -> bool:
    """Revoke the token that the caller came with. False when it was revoked already."""
    token_id, expires = str(caller.claims["jti"]), int(str(caller.claims["exp"]))
    return await auth.revocations.revoke(auth.store(), token_id, expires)
