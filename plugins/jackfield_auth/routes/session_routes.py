"""`/api/v1/auth`: login, refresh, logout, me, one's own password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from jackfield.api.audit import UNRECORDED
from jackfield.api.auth import Peer, Principal
from jackfield.api.clock import iso
from jackfield.api.errors import (
    AuthRequired,
    Conflict,
    InvalidInput,
    RateLimited,
    StoreUnavailable,
    TokenInvalid,
    UpstreamFailed,
)
from jackfield.api.http import client_address, operation, principal, read_model, read_query
from jackfield.api.storage import User
from jackfield_auth.logins.refusals import SecondFactorNeeded
from jackfield_auth.routes.answers import answer, caller_by, done
from jackfield_auth.routes.schemas import (
    DepartureHeard,
    DepartureQuery,
    LoginAnswerBody,
    LoginBody,
    LoginMethodList,
    LoginMethodView,
    LoginQuestionBody,
    LoginQuestionView,
    MeView,
    PasswordBody,
    SessionView,
    UserView,
)
from jackfield_auth.routes.verifying import own_name, tells_of, verified
from jackfield_auth.service import AuthService
from jackfield_auth.users.accounts import found

if TYPE_CHECKING:
    from jackfield_auth.factors.second_steps import BegunLogin

ANY_PROCESS: Peer = "other"
"""The owner of the process that begins and ends a login for a token does not matter: only the token admits anybody."""


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
        act="user.login",
    )
    async def login() -> Response:
        body = await read_model(LoginBody)
        auth.tokens.require_enabled()
        user = await verified(auth, body.provider, body.username, body.password)
        begun = await auth.second_steps.begin(user, body.username, own_name(body.provider), ANY_PROCESS)
        if begun is not None:
            raise more_needed(begun)
        return answer(await new_session(auth, user))

    @routes.post("/login/question")
    @operation(
        "Put the question of a second factor to the user of a login that has begun; a plugin's may send a code",
        operation_id="askLoginFactor",
        scope="public",
        request=LoginQuestionBody,
        response=LoginQuestionView,
        tags=["auth"],
        errors=(AuthRequired, StoreUnavailable, UpstreamFailed),
        act=UNRECORDED,
    )
    async def question() -> Response:
        body = await read_model(LoginQuestionBody)
        origin = auth.context.service.public_url
        shown = await auth.second_steps.ask(body.login, ANY_PROCESS, body.factor, origin)
        return answer(LoginQuestionView(shown=dict(shown)))

    @routes.post("/login/answer")
    @operation(
        "Answer with a second factor, which ends the login that has begun",
        operation_id="answerLoginFactor",
        scope="public",
        request=LoginAnswerBody,
        response=SessionView,
        tags=["auth"],
        errors=(AuthRequired, StoreUnavailable, UpstreamFailed),
        act="user.login",
    )
    async def second_step() -> Response:
        body = await read_model(LoginAnswerBody)
        auth.tokens.require_enabled()
        client = client_address()
        steps = auth.second_steps
        tells_of(await steps.user(await steps.pending.find(body.login, ANY_PROCESS)))
        user = await steps.answer(body.login, ANY_PROCESS, body.factor, body.answer, client)
        return answer(await new_session(auth, user))

    @routes.get("/logins")
    @operation(
        "List the ways to log in", operation_id="listLogins", scope="public", response=LoginMethodList, tags=["auth"]
    )
    async def logins() -> Response:
        found = await auth.login_methods.all()
        rows = [LoginMethodView(name=method.name, title=method.title, kind=method.kind) for method in found]
        return answer(LoginMethodList(data=rows))

    @routes.post("/logout-notices")
    @operation(
        "Hear from a provider that somebody has logged out there (OpenID Connect Back-Channel Logout): takes "
        "`logout_token` as a form, and ends the user's tokens and sessions",
        operation_id="hearLogout",
        scope="public",
        query=DepartureQuery,
        response=DepartureHeard,
        tags=["auth"],
        errors=(RateLimited, StoreUnavailable, UpstreamFailed),
    )
    async def hear_logout() -> Response:
        name = read_query(DepartureQuery).provider
        notice = (await request.form).get("logout_token", "")
        if not notice:
            raise InvalidInput("The form has no logout_token.", details={"logout_token": "is missing"})
        await auth.departures.hear(name, notice)
        heard = answer(DepartureHeard(ended=True))
        heard.headers["Cache-Control"] = "no-store"
        return heard

    @routes.post("/refresh")
    @operation(
        "Exchange the token for a new one",
        operation_id="refreshToken",
        scope=None,
        response=SessionView,
        tags=["auth"],
        act="user.refresh",
    )
    async def refresh() -> Response:
        caller = caller_by("jwt")
        user = found(await auth.store().user(caller.user_id))
        if await auth.second_steps.is_owed(user):  # else a token of a password alone would go on forever
            raise none_set_up()
        if not await end_token(auth, caller):
            raise TokenInvalid("The token has been refreshed or revoked already; log in again.")
        return answer(await new_session(auth, user))

    @routes.post("/logout")
    @operation("End the token", scope=None, status=204, tags=["auth"], act="user.logout")
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
        act="user.password",
    )
    async def password() -> Response:
        caller = caller_by("jwt", "basic", "session")
        body = await read_model(PasswordBody)
        await auth.change_own_password(caller, body.current, body.new, client_address())
        return done()

    return routes


def more_needed(begun: BegunLogin) -> SecondFactorNeeded:
    """The answer to a right password. details: what an answer names, for whoever has given that password."""
    if begun.has_to_set_up:
        return none_set_up()
    choices = ", ".join(choice.name for choice in begun.choices)
    return SecondFactorNeeded(details={"login": begun.token, "factors": choices})


def none_set_up() -> SecondFactorNeeded:
    return SecondFactorNeeded("You need a second factor, and have none yet: log in with a browser to set one up.")


async def new_session(auth: AuthService, user: User) -> SessionView:
    """A token for the user, as the answer shows it."""
    issued = await auth.tokens.issue(user)
    view = UserView(id=user.id, username=user.username, role=user.role)
    return SessionView(token=issued.token, expires_at=iso(issued.expires_at), user=view)


async def end_token(auth: AuthService, caller: Principal) -> bool:
    """Revoke the token that the caller came with. False when it was revoked already."""
    token_id, expires = str(caller.claims["jti"]), int(str(caller.claims["exp"]))
    return await auth.revocations.revoke(auth.store(), token_id, expires)
