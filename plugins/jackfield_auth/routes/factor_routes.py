"""`/api/session/factors`: second factors of one's own. A login that cannot end without one sets it up here, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, g

from jackfield.api.audit import UNRECORDED
from jackfield.api.auth import Principal
from jackfield.api.errors import AccessDenied, AuthRequired, Conflict, StoreUnavailable
from jackfield.api.http import audit_notes, operation, read_model, success
from jackfield_auth.routes.answers import caller_by
from jackfield_auth.routes.browser_entry import BrowserEntry, no_store, peer
from jackfield_auth.routes.factor_schemas import FactorCodeBody
from jackfield_auth.service import AuthService

if TYPE_CHECKING:
    from jackfield_auth.factors.setups import FactorOwner

_SCHEMAS = "jackfield_auth.routes.factor_schemas"
_TAGS = ("session",)
_ERRORS = (AccessDenied, AuthRequired, Conflict, StoreUnavailable)


class FactorRoutes:
    """Of whoever has a session, or has begun a login that needs a factor."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._browser = BrowserEntry(auth)

    @operation(
        "List one's own second factors",
        operation_id="listOwnFactors",
        scope=None,
        response=f"{_SCHEMAS}:OwnFactorsAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def read(self) -> Response:
        caller = caller_by("session")
        steps = self._auth.second_steps
        user = await self._auth.accounts.get(caller.user_id)
        return no_store(
            success(
                {
                    "factors": await steps.set_up(user.id),
                    "recovery_codes": await steps.recovery.left(user.id),
                    "demanded": steps.is_demanded(user),
                    "fresh": self._auth.setups.is_fresh(caller),
                }
            )
        )

    @operation(
        "Begin to set up an authenticator app: gives the secret as text and as a picture",
        operation_id="beginAuthenticator",
        act=UNRECORDED,
        scope="public",
        response=f"{_SCHEMAS}:NewAuthenticatorAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def begin_totp(self) -> Response:
        made = await self._auth.setups.begin_totp(await self.owner())
        return no_store(success({"secret": made.secret, "address": made.address, "picture": made.picture}))

    @operation(
        "Finish it with a code of the app; ends the user's other sessions and tokens",
        operation_id="finishAuthenticator",
        act="user.factor",
        scope="public",
        request=f"{_SCHEMAS}:FactorCodeBody",
        response=f"{_SCHEMAS}:FactorDoneAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def finish_totp(self) -> Response:
        body = await read_model(FactorCodeBody)
        done = await self._auth.setups.finish_totp(await self.owner(), body.code)
        return await self._browser.set_up(done, "totp")

    @operation(
        "Remove one's authenticator app",
        operation_id="removeAuthenticator",
        scope="public",  # as all of this path, which a login that sets a factor up must reach
        response=f"{_SCHEMAS}:FactorDoneAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def remove_totp(self) -> Response:
        return await self._browser.set_up(await self._auth.setups.remove_totp(await self.owner()), "totp")

    @operation(
        "Make new recovery codes in place of the earlier ones",
        operation_id="renewRecoveryCodes",
        scope=None,
        response=f"{_SCHEMAS}:FactorDoneAnswer",
        tags=_TAGS,
        errors=_ERRORS,
    )
    async def renew_codes(self) -> Response:
        codes = await self._auth.setups.new_codes(await self.owner())
        return no_store(success({"recovery_codes": codes}))

    async def owner(self) -> FactorOwner:
        caller: Principal | None = g.principal
        found = await self._auth.setups.owner(caller, self._browser.pending_token(), peer())
        audit_notes().actor = found.user.id, found.user.username  # in a login there is no caller yet
        return found


def factor_routes(auth: AuthService) -> Blueprint:
    views = FactorRoutes(auth)
    routes = Blueprint("session_factors", __name__, url_prefix="/api/session/factors")
    for rule, method, view in (
        ("", "GET", views.read),
        ("/totp", "POST", views.begin_totp),
        ("/totp", "PUT", views.finish_totp),
        ("/totp", "DELETE", views.remove_totp),
        ("/recovery-codes", "POST", views.renew_codes),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes
