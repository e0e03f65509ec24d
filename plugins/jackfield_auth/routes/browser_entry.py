"""The common part of browsers' routes: the cookies, the answer that says who a browser is, and the session that
begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response, request

from jackfield.api.asgi import WITHOUT_AGENTS
from jackfield.api.auth import OWNER, PEERS, SESSION, Peer, Principal
from jackfield.api.clock import iso
from jackfield.api.hosts import Hosts
from jackfield.api.http import client_address, success
from jackfield.api.projects import ProjectAccess
from jackfield_auth.external.mounts import LEFT
from jackfield_auth.service import AuthService
from jackfield_auth.sessions.browser_session import LONGEST_DEVICE, BrowserSessionAbout
from jackfield_auth.sessions.cookies import NAME, PENDING, given, taken, tokens

if TYPE_CHECKING:
    from jackfield.api.json_values import Json
    from jackfield_auth.factors.second_steps import BegunLogin
    from jackfield_auth.factors.setups import FactorDone


class BrowserEntry:
    """Lets browsers in."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth
        self.port = auth.cookie_port

    async def enter(self, user_id: str, version: int, how: Sequence[str]) -> Response:
        """Begin a session. how: the proofs of the login."""
        await self.end_present()
        about = BrowserSessionAbout(device(), client_address(), tuple(how))
        token, _ = await self._auth.sessions.begin(user_id, version, peer=peer(), about=about)
        answer = await self.answer(await self._auth.session_method.of_token(token.encode()))
        lifetime = self._auth.session_settings.lifetime
        answer.headers.add("Set-Cookie", given(token, self.port, lifetime, secure=over_tls()))
        if self.cookies(PENDING):
            for cookie in taken(self.port, PENDING):
                answer.headers.add("Set-Cookie", cookie)
        self._auth.context.log.info("A browser's session of user %s has begun.", user_id)
        return answer

    async def set_up(self, done: FactorDone, factor: str) -> Response:
        """After a change of the user's factors, which may have ended a login."""
        codes: list[Json] = [*done.codes]
        answer = no_store(success({"recovery_codes": codes}))
        if done.begins:
            proof = await self._auth.login_methods.proof(done.provider)
            entered = await self.enter(done.user.id, done.user.version, [proof, factor])
            for cookie in entered.headers.getlist("Set-Cookie"):
                answer.headers.add("Set-Cookie", cookie)
        return answer

    async def wait(self, begun: BegunLogin) -> Response:
        """The login goes on with its second step."""
        answer = await self.answer(None, begun)
        lifetime = self._auth.second_steps.pending.lifetime
        cookie = given(begun.token, self.port, lifetime, secure=over_tls(), name=PENDING)
        answer.headers.add("Set-Cookie", cookie)
        return answer

    async def answer(self, caller: Principal | None, begun: BegunLogin | None = None) -> Response:
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
                    "agents": not request.scope.get(WITHOUT_AGENTS),
                    "projects": caller is not None and self._auth.context.port(ProjectAccess).in_use,
                    "logins": [{"name": one.name, "title": one.title, "kind": one.kind} for one in logins],
                    "forgotten": self._auth.forgotten.offered,
                    "step": None if begun is None else step_view(begun),
                }
            )
        )

    async def departure(self) -> str | None:
        """Where the browser goes to end the session of the provider that it came in by; None: nowhere."""
        for token in self.cookies():
            how = (await self._auth.sessions.about(token)).how
            if how:
                return await self._auth.departures.address(how[0], f"{self.origin()}{LEFT}")
        return None

    async def end_present(self) -> None:
        """A browser has one session: the one that it came with ends, so that none is left that nobody can end."""
        for token in self.cookies():
            found = await self._auth.sessions.find(token, passive=True)
            # A thief can use one for nothing, not for a logout either.
            if found is None or PEERS.index(peer()) >= PEERS.index(found.peer):
                await self._auth.sessions.end(token)

    def cookies(self, name: str = NAME) -> list[bytes]:
        """Every value of ours that the browser sends."""
        return tokens([value.encode("latin-1") for value in request.headers.getlist("Cookie")], self.port, name)

    def pending_token(self) -> str:
        """Of the login that this browser has begun; empty: none."""
        found = self.cookies(PENDING)
        return found[0].decode("latin-1") if len(found) == 1 else ""

    def origin(self) -> str:
        """A page tells its own origin, which the gate has compared with ours; other programs have none."""
        return request.headers.get("Origin") or self._auth.context.service.public_url


def step_view(begun: BegunLogin) -> Json:
    """The second step of a login, as answers show it."""
    choices: list[Json] = [{"name": choice.name, "title": choice.title} for choice in begun.choices]
    return {"choices": choices, "has_to_set_up": begun.has_to_set_up}


def peer() -> Peer:
    """The owner of the calling process, as the gate has seen it."""
    found: Peer = request.scope.get("jackfield.peer", "other")  # type: ignore[assignment]  # the gate put a Peer there
    return found


def device() -> str:
    """As the browser names itself."""
    given_name = request.headers.get("User-Agent", "")
    return "".join(char for char in given_name if char.isprintable())[:LONGEST_DEVICE]


def over_tls() -> bool:
    """A page tells its own scheme; the gate has compared the Origin with ours."""
    return request.headers.get("Origin", "").startswith("https://")


def moment(value: object) -> str | None:
    return iso(value) if isinstance(value, int) else None


def no_store(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
