"""`/api/session`: how a browser gets its cookie, loses it, and sees who it is."""

from __future__ import annotations

from quart import Blueprint, Response, g, request

from jackfield.api.auth import OWNER, PEERS, SESSION, Peer, Principal
from jackfield.api.clock import iso
from jackfield.api.errors import (
    AccessDenied,
    AuthRequired,
    Conflict,
    InvalidInput,
    RateLimited,
    StoreUnavailable,
    UpstreamFailed,
)
from jackfield.api.hosts import Hosts
from jackfield.api.http import client_address, operation, principal, read_model, success
from jackfield.api.projects import ProjectAccess
from jackfield_auth.routes.browser_schemas import CodeBody, EntryBody, RedirectBody
from jackfield_auth.service import AuthService
from jackfield_auth.sessions.cookies import LOGIN, NAME, given, taken, tokens
from jackfield_auth.sessions.open_codes import LIFETIME

_SCHEMAS = "jackfield_auth.routes.browser_schemas"
COOKIE = {"Set-Cookie": "HttpOnly cookies of the session, or their end."}


class BrowserRoutes:
    """The gate has looked at Host, Origin and the peer before; these need no credential, or take one as a body."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self._port = auth.cookie_port

    @operation(
        "Who this browser is, and which ways in there are",
        operation_id="getSession",
        scope="public",
        response=f"{_SCHEMAS}:BrowserSessionAnswer",
        tags=("session",),
        errors=(StoreUnavailable,),
    )
    async def read(self) -> Response:
        return await self._answer(g.principal)

    @operation(
        "Begin a browser's session: with name and password, with a provider's answer, with the code of "
        "`jackfield open`, or, for the daemon's own user, with nothing; sets an HttpOnly cookie",
        operation_id="beginSession",
        scope="public",
        request=f"{_SCHEMAS}:EntryBody",
        response=f"{_SCHEMAS}:BrowserSessionAnswer",
        tags=("session",),
        errors=(AuthRequired, Conflict, RateLimited, StoreUnavailable, UpstreamFailed),
        headers=COOKIE,
    )
    async def begin(self) -> Response:
        body = await read_model(EntryBody)
        user_id, version = await self._entry(body)
        await self._end_present()
        token, _ = await self._auth.sessions.begin(user_id, version, peer=peer())
        caller = await self._auth.session_method.of_token(token.encode())
        answer = await self._answer(caller)
        lifetime = self._auth.session_settings.lifetime
        answer.headers.add("Set-Cookie", given(token, self._port, lifetime, secure=over_tls()))
        if body.answer is not None:
            for cookie in taken(self._port, LOGIN):
                answer.headers.add("Set-Cookie", cookie)
        self._auth.context.log.info("A browser's session of user %s has begun.", user_id)
        return answer

    async def _entry(self, body: EntryBody) -> tuple[str, int]:
        """Id and version of the user who may come in. Raises `AuthRequired`, `InvalidInput`, `RateLimited`."""
        if body.code is not None:
            await self._auth.codes.take(body.code, same_user=peer() != "other")
            return OWNER.user_id, 0
        if body.answer is not None:
            if body.provider is None:
                raise InvalidInput("An answer is of a provider.", details={"provider": "is missing"})
            user = await self._auth.redirects.finish(body.provider, body.answer, cookies(self._port, LOGIN), peer())
            return user.id, user.version
        if body.username is not None and body.password is not None:
            user = await self._auth.login_methods.verify(body.provider, body.username, body.password, client_address())
            return user.id, user.version
        if body.username is not None or body.password is not None:
            missing = "password" if body.password is None else "username"
            raise InvalidInput("A login needs name and password.", details={missing: "is missing"})
        caller: Principal | None = g.principal
        if peer() != "owner" and (caller is None or caller.method != OWNER.method):
            raise AuthRequired(
                "This browser does not run as the daemon's own user: log in, or open the address that "
                "`jackfield open --print` prints."
            )
        return OWNER.user_id, 0

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
    )
    async def redirect(self) -> Response:
        body = await read_model(RedirectBody)
        # A page tells its own origin, which the gate has compared with ours; other programs have none.
        origin = request.headers.get("Origin") or self._auth.context.service.public_url
        begun = await self._auth.redirects.begin(body.provider, origin, client_address(), peer())
        answer = no_store(success({"url": begun.url}))
        lifetime = self._auth.redirects.lifetime
        answer.headers.add("Set-Cookie", given(begun.binding, self._port, lifetime, secure=over_tls(), name=LOGIN))
        return answer

    @operation(
        "End the browser's session",
        operation_id="endSession",
        scope="public",
        response=f"{_SCHEMAS}:DoneAnswer",
        tags=("session",),
        errors=(StoreUnavailable,),
        headers=COOKIE,
    )
    async def end(self) -> Response:
        await self._end_present()
        answer = no_store(success())
        for cookie in taken(self._port):
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

    async def _end_present(self) -> None:
        """A browser has one session: the one that it came with ends, so that none is left that nobody can end."""
        for token in cookies(self._port):
            found = await self._auth.sessions.find(token, passive=True)
            # Who has stolen one can use it for nothing, not for a logout either.
            if found is None or PEERS.index(peer()) >= PEERS.index(found.peer):
                await self._auth.sessions.end(token)

    async def _answer(self, caller: Principal | None) -> Response:
        logins = await self._auth.login_methods.all()
        claims = caller.claims if caller is not None and caller.method == SESSION else {}
        available = peer() == "owner" or (caller is not None and caller.method == OWNER.method)
        return no_store(
            success(
                {
                    "authenticated": caller is not None,
                    "method": None if caller is None else caller.method,
                    "user": None
                    if caller is None
                    else {"id": caller.user_id, "username": caller.username, "role": caller.role},
                    "kind": claims.get("kind"),
                    "created_at": moment(claims.get("created_at")),
                    "expires_at": moment(claims.get("expires_at")),
                    "idle_expires_at": moment(claims.get("idle_expires_at")),
                    "owner_available": available,
                    "login_needed": not claims and not available,
                    "version": self._auth.context.service.version,
                    "hosts": 1 if caller is None else self._auth.context.port(Hosts).known,
                    "projects": caller is not None and self._auth.context.port(ProjectAccess).in_use,
                    "logins": [{"name": one.name, "title": one.title, "kind": one.kind} for one in logins],
                }
            )
        )


def peer() -> Peer:
    """Whose process calls, as the gate has seen it."""
    found: Peer = request.scope.get("jackfield.peer", "other")  # type: ignore[assignment]
    return found


def cookies(port: int, name: str = NAME) -> list[bytes]:
    """Every value of ours that the browser sends."""
    return tokens([value.encode("latin-1") for value in request.headers.getlist("Cookie")], port, name)


def over_tls() -> bool:
    """A page tells its own scheme; the gate has compared the Origin with ours."""
    return request.headers.get("Origin", "").startswith("https://")


def moment(value: object) -> str | None:
    return iso(value) if isinstance(value, int) else None


def no_store(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


def browser_routes(auth: AuthService) -> Blueprint:
    views = BrowserRoutes(auth)
    routes = Blueprint("browser_session", __name__, url_prefix="/api/session")
    for rule, method, view in (
        ("", "GET", views.read),
        ("", "POST", views.begin),
        ("", "DELETE", views.end),
        ("/codes", "POST", views.code),
        ("/redirect", "POST", views.redirect),
    ):
        routes.add_url_rule(rule, view_func=view, methods=[method])
    return routes
