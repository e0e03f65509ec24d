"""`/api/session/forgotten`, and one's own mail address."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.audit import UNRECORDED
from jackfield.api.errors import AccessDenied, AuthRequired, Conflict, RateLimited, StoreUnavailable
from jackfield.api.http import client_address, operation, read_model, success
from jackfield_auth.routes.answers import caller_by
from jackfield_auth.routes.browser_entry import no_store
from jackfield_auth.routes.mail_schemas import ForgottenBody, OwnMailBody
from jackfield_auth.service import AuthService

_SCHEMAS = "jackfield_auth.routes.mail_schemas"
_TAGS = ("session",)


class MailRoutes:
    """Views."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth

    @operation(
        "Ask for a mail with which a user sets another password; the answer is the same for every name",
        operation_id="sendResetLink",
        act=UNRECORDED,  # the mail is recorded, where there is one
        scope="public",
        request=f"{_SCHEMAS}:ForgottenBody",
        response="jackfield_auth.routes.browser_schemas:DoneAnswer",
        tags=_TAGS,
        errors=(AuthRequired, Conflict, RateLimited, StoreUnavailable),
    )
    async def forgotten(self) -> Response:
        body = await read_model(ForgottenBody)
        await self._auth.forgotten.ask(body.username, body.language, client_address())
        return no_store(success())

    @operation(
        "Show one's own mail address",
        operation_id="getOwnMail",
        scope=None,
        response=f"{_SCHEMAS}:OwnMailAnswer",
        tags=_TAGS,
        errors=(AccessDenied, StoreUnavailable),
    )
    async def read(self) -> Response:
        user = await self._auth.accounts.get(caller_by("session").user_id)
        return no_store(success({"mail": await self._auth.mail.addresses.of(user) or None}))

    @operation(
        "Set one's own mail address; needs a session that has begun lately. The earlier address gets a notice",
        operation_id="changeOwnMail",
        scope=None,
        act="user.mail",
        request=f"{_SCHEMAS}:OwnMailBody",
        response=f"{_SCHEMAS}:OwnMailAnswer",
        tags=_TAGS,
        errors=(AccessDenied, Conflict, StoreUnavailable),
    )
    async def change(self) -> Response:
        body = await read_model(OwnMailBody)
        caller = caller_by("session")
        self._auth.setups.require_fresh(caller)
        user = await self._auth.accounts.get(caller.user_id)
        now = await self._auth.forgotten.change_address(user, body.mail)
        return no_store(success({"mail": now or None}))


def mail_routes(auth: AuthService) -> Blueprint:
    views = MailRoutes(auth)
    routes = Blueprint("session_mail", __name__, url_prefix="/api/session")
    for rule, method, view in (
        ("/forgotten", "POST", views.forgotten),
        ("/mail", "GET", views.read),
        ("/mail", "PUT", views.change),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes
