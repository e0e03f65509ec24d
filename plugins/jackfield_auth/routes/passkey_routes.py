"""`/api/session/passkeys` and `/api/session/passkey`: one's own passkeys, and the question of a login by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, g

from jackfield.api.audit import UNRECORDED
from jackfield.api.auth import Principal
from jackfield.api.clock import iso
from jackfield.api.errors import AccessDenied, AuthRequired, Conflict, RateLimited, StoreUnavailable
from jackfield.api.http import audit_notes, client_address, operation, read_model, success
from jackfield_auth.routes.answers import caller_by
from jackfield_auth.routes.browser_entry import BrowserEntry, no_store, over_tls, peer
from jackfield_auth.routes.factor_schemas import NewPasskeyBody, PasskeyNameBody
from jackfield_auth.service import AuthService
from jackfield_auth.sessions.cookies import PASSKEY, given

if TYPE_CHECKING:
    from jackfield.api.json_values import Json
    from jackfield_auth.factors.setups import FactorOwner
    from jackfield_auth.passkeys.records import Passkey

_SCHEMAS = "jackfield_auth.routes.factor_schemas"
_TAGS = ("session",)
_ERRORS = (AccessDenied, AuthRequired, Conflict, StoreUnavailable)


class PasskeyRoutes:
    """Of whoever has a session, or has begun a login that needs a factor; and of whoever wants to log in."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._browser = BrowserEntry(auth)

    @operation(
        "Begin a login by a passkey alone: gives the options for the browser, and sets the HttpOnly cookie that binds "
        "the answer to it",
        operation_id="beginPasskeyLogin",
        act=UNRECORDED,
        scope="public",
        response=f"{_SCHEMAS}:PasskeyOptionsAnswer",
        tags=_TAGS,
        errors=(Conflict, RateLimited, StoreUnavailable),
        headers={"Set-Cookie": "HttpOnly cookie of the question."},
    )
    async def question(self) -> Response:
        logins = self._auth.passkey_logins
        asked = await logins.begin(self._browser.origin(), client_address(), peer())
        answer = no_store(success({"options": asked.options}))
        port, secure = self._browser.port, over_tls()
        answer.headers.add("Set-Cookie", given(asked.binding, port, logins.lifetime, secure=secure, name=PASSKEY))
        return answer

    @operation(
        "List one's own passkeys",
        operation_id="listPasskeys",
        scope="public",  # as all of this path, which a login that makes a passkey must reach
        response=f"{_SCHEMAS}:PasskeysAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def read(self) -> Response:
        caller = caller_by("session")
        found = await self._auth.second_steps.ceremonies.book.of_user(caller.user_id)
        return no_store(success({"passkeys": [view(passkey) for passkey in found]}))

    @operation(
        "Begin to make a passkey: gives the options for the browser",
        operation_id="beginPasskey",
        act=UNRECORDED,
        scope="public",
        response=f"{_SCHEMAS}:PasskeyOptionsAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def begin(self) -> Response:
        options = await self._auth.passkey_setups.begin(await self._owner(), self._browser.origin())
        return no_store(success({"options": options}))

    @operation(
        "Finish it with the browser's answer; ends the user's other sessions and tokens",
        operation_id="finishPasskey",
        act="user.factor",
        scope="public",
        request=f"{_SCHEMAS}:NewPasskeyBody",
        response=f"{_SCHEMAS}:FactorDoneAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def finish(self) -> Response:
        body = await read_model(NewPasskeyBody)
        done = await self._auth.passkey_setups.finish(await self._owner(), body.name, body.credential)
        return await self._browser.set_up(done, "passkey")

    @operation(
        "Rename one of one's own passkeys",
        operation_id="renamePasskey",
        scope=None,
        request=f"{_SCHEMAS}:PasskeyNameBody",
        response=f"{_SCHEMAS}:PasskeyAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def rename(self, passkey_id: str) -> Response:
        body = await read_model(PasskeyNameBody)
        caller = caller_by("session")
        changed = await self._auth.second_steps.ceremonies.rename(caller.user_id, passkey_id, body.name)
        return no_store(success(view(changed)))

    @operation(
        "Remove one of one's own passkeys",
        operation_id="removePasskey",
        scope=None,
        response=f"{_SCHEMAS}:FactorDoneAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def remove(self, passkey_id: str) -> Response:
        done = await self._auth.passkey_setups.remove(await self._owner(), passkey_id)
        return await self._browser.set_up(done, "passkey")

    async def _owner(self) -> FactorOwner:
        caller: Principal | None = g.principal
        found = await self._auth.setups.owner(caller, self._browser.pending_token(), peer())
        audit_notes().actor = found.user.id, found.user.username  # in a login there is no caller yet
        return found


def view(passkey: Passkey) -> dict[str, Json]:
    return {
        "id": passkey.id,
        "name": passkey.name,
        "host": passkey.rp_id,
        "is_synced": passkey.is_synced,
        "created_at": iso(passkey.created_at),
        "used_at": iso(passkey.used_at),
    }


def passkey_routes(auth: AuthService) -> Blueprint:
    views = PasskeyRoutes(auth)
    routes = Blueprint("session_passkeys", __name__, url_prefix="/api/session")
    for rule, method, view_of in (
        ("/passkey", "POST", views.question),
        ("/passkeys", "GET", views.read),
        ("/passkeys", "POST", views.begin),
        ("/passkeys", "PUT", views.finish),
        ("/passkeys/<passkey_id>", "PATCH", views.rename),
        ("/passkeys/<passkey_id>", "DELETE", views.remove),
    ):
        routes.add_url_rule(rule, view_func=view_of, methods=[method])
    return routes
