"""`/api/session`: how a browser gets its cookie, loses it, and sees who it is."""

from __future__ import annotations

from contextlib import suppress

from quart import Blueprint, Response, g

from jackfield.api.audit import UNRECORDED
from jackfield.api.auth import OWNER, Principal
from jackfield.api.errors import (
    AccessDenied,
    AuthRequired,
    Conflict,
    InvalidInput,
    RateLimited,
    StoreUnavailable,
    UpstreamFailed,
)
from jackfield.api.http import client_address, operation, principal, read_model, success
from jackfield_auth.routes.browser_entry import BrowserEntry, no_store, over_tls, peer
from jackfield_auth.routes.browser_schemas import CodeBody, EntryBody, QuestionBody, RedirectBody
from jackfield_auth.routes.verifying import own_name, tells_of, verified
from jackfield_auth.service import AuthService
from jackfield_auth.sessions.cookies import LOGIN, PASSKEY, PENDING, given, taken
from jackfield_auth.sessions.open_codes import LIFETIME

_SCHEMAS = "jackfield_auth.routes.browser_schemas"
COOKIE = {"Set-Cookie": "HttpOnly cookies of the session, or their end."}


class BrowserRoutes:
    """The gate has looked at Host, Origin and the peer before; these need no credential, or take one as a body."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._browser = BrowserEntry(auth)

    @operation(
        "Who this browser is, and which ways in there are",
        operation_id="getSession",
        scope="public",
        response=f"{_SCHEMAS}:BrowserSessionAnswer",
        tags=("session",),
        errors=(StoreUnavailable,),
    )
    async def read(self) -> Response:
        caller: Principal | None = g.principal
        token = "" if caller is not None else self._browser.pending_token()
        begun = None
        if token:
            with suppress(AuthRequired):  # it has ended, and the browser begins another one
                begun = await self._auth.second_steps.present(token, peer())
        return await self._browser.answer(caller, begun)

    @operation(
        "Begin a browser's session: with name and password, with the answer of a provider or a second factor, with the "
        "code of `jackfield open`, or, for the daemon's own user, with nothing; sets an HttpOnly cookie",
        operation_id="beginSession",
        scope="public",
        request=f"{_SCHEMAS}:EntryBody",
        response=f"{_SCHEMAS}:BrowserSessionAnswer",
        tags=("session",),
        errors=(AuthRequired, Conflict, RateLimited, StoreUnavailable, UpstreamFailed),
        headers=COOKIE,
        act="user.login",
    )
    async def begin(self) -> Response:
        body = await read_model(EntryBody)
        if body.factor is not None:
            return await self._second_step(body)
        if body.passkey is not None:
            return await self._with_passkey(body.passkey)
        if body.code is not None:
            await self._auth.codes.take(body.code, same_user=peer() != "other")
            return await self._browser.enter(OWNER.user_id, 0, ["code"])
        if body.answer is not None:
            return await self._redirected(body)
        if body.username is not None and body.password is not None:
            return await self._with_password(body, body.username, body.password)
        if body.username is not None or body.password is not None:
            missing = "password" if body.password is None else "username"
            raise InvalidInput("A login needs name and password.", details={missing: "is missing"})
        caller: Principal | None = g.principal
        if peer() != "owner" and (caller is None or caller.method != OWNER.method):
            raise AuthRequired(
                "This browser does not run as the daemon's own user: log in, or open the address that "
                "`jackfield open --print` prints."
            )
        return await self._browser.enter(OWNER.user_id, 0, ["process"])

    async def _with_password(self, body: EntryBody, username: str, password: str) -> Response:
        user = await verified(self._auth, body.provider, username, password)
        begun = await self._auth.second_steps.begin(user, username, own_name(body.provider), peer())
        if begun is not None:
            return await self._browser.wait(begun)
        return await self._browser.enter(user.id, user.version, ["password"])

    async def _with_passkey(self, credential: str) -> Response:
        """The authenticator has asked its user for a PIN or the like: that is two factors."""
        self._auth.logins.require_enabled()
        user = await self._auth.passkey_logins.finish(credential, self._browser.cookies(PASSKEY), peer())
        entered = await self._browser.enter(user.id, user.version, ["passkey"])
        for cookie in taken(self._browser.port, PASSKEY):
            entered.headers.add("Set-Cookie", cookie)
        return entered

    async def _redirected(self, body: EntryBody) -> Response:
        if body.provider is None:
            raise InvalidInput("An answer is of a provider.", details={"provider": "is missing"})
        bound = self._browser.cookies(LOGIN)
        user = await self._auth.redirects.finish(body.provider, body.answer or "", bound, peer())
        tells_of(user)
        steps = self._auth.second_steps
        begun = await steps.begin(user, user.username, body.provider, peer()) if steps.settings.of_redirects else None
        entered = await (
            self._browser.enter(user.id, user.version, [body.provider]) if begun is None else self._browser.wait(begun)
        )
        for cookie in taken(self._browser.port, LOGIN):
            entered.headers.add("Set-Cookie", cookie)
        return entered

    async def _second_step(self, body: EntryBody) -> Response:
        factor, token = body.factor or "", self._browser.pending_token()
        steps = self._auth.second_steps
        login = await steps.pending.find(token, peer())
        tells_of(await steps.user(login))
        user = await steps.answer(token, peer(), factor, body.answer or "", client_address())
        proof = await self._auth.login_methods.proof(login.provider)
        return await self._browser.enter(user.id, user.version, [proof, factor])

    @operation(
        "Put the question of a second factor to the user whose login has begun in this browser",
        operation_id="askSecondFactor",
        scope="public",
        request=f"{_SCHEMAS}:QuestionBody",
        response=f"{_SCHEMAS}:QuestionAnswer",
        tags=("session",),
        errors=(AuthRequired, RateLimited, StoreUnavailable, UpstreamFailed),
        act=UNRECORDED,
    )
    async def question(self) -> Response:
        body = await read_model(QuestionBody)
        token, origin = self._browser.pending_token(), self._browser.origin()
        shown = await self._auth.second_steps.ask(token, peer(), body.factor, origin)
        return no_store(success({"shown": dict(shown)}))

    @operation(
        "Begin a login at a provider: gives the address to send the browser to, and sets the HttpOnly cookie that "
        "binds the answer to this browser",
        operation_id="beginSessionRedirect",
        scope="public",
        request=f"{_SCHEMAS}:RedirectBody",
        response=f"{_SCHEMAS}:RedirectBegun",
        tags=("session",),
        errors=(AuthRequired, RateLimited, StoreUnavailable, UpstreamFailed),
        headers=COOKIE,
        act=UNRECORDED,
    )
    async def redirect(self) -> Response:
        body = await read_model(RedirectBody)
        begun = await self._auth.redirects.begin(body.provider, self._browser.origin(), client_address(), peer())
        answer = no_store(success({"url": begun.url}))
        lifetime = self._auth.redirects.lifetime
        answer.headers.add(
            "Set-Cookie", given(begun.binding, self._browser.port, lifetime, secure=over_tls(), name=LOGIN)
        )
        return answer

    @operation(
        "End the browser's session; tells where the browser goes to end the provider's, too",
        operation_id="endSession",
        scope="public",
        response=f"{_SCHEMAS}:SessionEnded",
        tags=("session",),
        errors=(StoreUnavailable,),
        headers=COOKIE,
        act="user.logout",
    )
    async def end(self) -> Response:
        url = await self._browser.departure()
        await self._browser.end_present()
        answer = no_store(success({"url": url}))
        for cookie in (*taken(self._browser.port), *taken(self._browser.port, PENDING)):
            answer.headers.add("Set-Cookie", cookie)
        return answer

    @operation(
        "Make a one-time code that opens a session of the daemon's own user (`jackfield open`)",
        operation_id="createSessionCode",
        scope=None,
        request=f"{_SCHEMAS}:CodeBody",
        response=f"{_SCHEMAS}:CodeAnswer",
        tags=("session",),
    )
    async def code(self) -> Response:
        if principal().method != OWNER.method:
            raise AccessDenied("Codes are for the daemon's own user; run `jackfield open`.")
        body = await read_model(CodeBody)
        made = await self._auth.codes.new(same_user=body.same_user)
        return no_store(success({"code": made, "expires_in": int(LIFETIME)}))


def browser_routes(auth: AuthService) -> Blueprint:
    views = BrowserRoutes(auth)
    routes = Blueprint("browser_session", __name__, url_prefix="/api/session")
    for rule, method, view in (
        ("", "GET", views.read),
        ("", "POST", views.begin),
        ("", "DELETE", views.end),
        ("/codes", "POST", views.code),
        ("/redirect", "POST", views.redirect),
        ("/question", "POST", views.question),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes
