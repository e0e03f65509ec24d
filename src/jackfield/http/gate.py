"""The request gate: who may call, before routing, for HTTP and WebSocket alike.

In this order: Host, Origin and Sec-Fetch-Site, credential, forwarding headers, the TCP peer's user.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Literal

from jackfield.api.asgi import WITHOUT_AGENTS, Area, Scope
from jackfield.api.auth import API_KEY_HEADERS, OWNER, SESSION, AuthRequest, Peer, Principal, Standing, no_body
from jackfield.api.context import Service
from jackfield.api.errors import AccessDenied, AuthRequired, InvalidInput, SessionExpired
from jackfield.api.records import replace, state
from jackfield.core.areas import PublicAreas
from jackfield.core.tables import CorsSettings

from .peer import PeerLookup

Access = Literal["public", "service", "gated"]
"""public: authenticates by itself; service: /api/v1, needs a credential; gated: everything else."""

_WORDS: Mapping[Area, str] = {
    "webhooks": "webhooks, forms and chats",
    "api": "the API",
    "ui": "the browser interface, events and the API's documentation",
    "agents": "agents, profiles and terminals",
}

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CREDENTIALS = frozenset({"authorization", *API_KEY_HEADERS})
FORWARDING = frozenset({
    b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"x-cluster-client-ip", b"true-client-ip",
    b"cf-connecting-ip", b"cf-connecting-ipv6", b"fastly-client-ip",
})  # fmt: skip
"""Beside `X-Forwarded-*`: whoever sends one of them passes on somebody else's request."""


@state
class CallerHeaders:
    """The credentials in the headers."""

    headers: dict[bytes, list[bytes]]
    forwarded: bool = False

    def only(self, name: bytes) -> bytes | None:
        """The header's value. Raises `InvalidInput` when it is given twice."""
        found = self.headers.get(name)
        if found is None:
            return None
        if len(found) > 1:
            raise InvalidInput(f"The header {name.decode()} must not be repeated.")
        return found[0]


def rights(caller: Principal) -> tuple[object, ...]:
    """The caller and the caller's rights, of one version of the user."""
    return caller.user_id, caller.role, caller.scopes, caller.projects, caller.claims.get("version")


def read_headers(scope: Scope) -> CallerHeaders:
    """Index the headers by lower-case name."""
    found: dict[bytes, list[bytes]] = {}
    forwarded = False
    for name, value in scope["headers"]:
        lower = name.lower()
        values = found.get(lower)
        if values is None:
            found[lower] = [value]
            forwarded = forwarded or lower in FORWARDING or lower.startswith(b"x-forwarded-")
        else:
            values.append(value)
    return CallerHeaders(found, forwarded)


class Gate:
    """Checks one request. Raises the `JackfieldError` to answer; otherwise gives the principal, if known."""

    def __init__(
        self,
        service: Service,
        areas: PublicAreas,
        cors: CorsSettings,
        authenticate: Callable[[AuthRequest], Awaitable[Principal | None]],
        peers: PeerLookup,
        token: Callable[[], str],
    ) -> None:
        names = ("127.0.0.1", "localhost", "[::1]")
        ports = [f":{service.port}", *([""] if service.port == 80 else [])]
        self._own_hosts = frozenset(f"{name}{port}".encode() for name in names for port in ports)
        self._areas = areas
        self._cors_origins = frozenset(o.encode() for o in cors.allowed_origins) if cors.enabled else frozenset()
        self._authenticate = authenticate
        self._peers = peers
        self._token = token
        self._trusted: list[IPv4Network | IPv6Network] = [ip_network(item) for item in service.trusted_proxies]

    def check_host(self, scope: Scope, area: Area | None) -> None:
        """Step 1, and all of it for public applications: cheap, synchronous. `scope["jackfield.public_host"]` says
        whether it is a public one that was named. area: None is open to every public host."""
        host: bytes | None = None
        for name, value in scope["headers"]:
            if name == b"host":
                if host is not None:
                    raise InvalidInput("The Host header must not be repeated.")
                host = value
        if host in self._own_hosts:
            return
        if host is not None and host.lower() in self._own_hosts:
            return
        open_to = self._areas.of(host.lower()) if host is not None else None
        if open_to is None:
            raise AccessDenied(
                "The Host header does not name this daemon; add the name, with its port if it has one, to "
                "server.public_hosts if it should."
            )
        if area is not None and area not in open_to:
            raise AccessDenied(
                f"This public host does not reach {_WORDS[area]}; add its name to server.areas.{area} if it should.",
                details={"setting": f"server.areas.{area}"},
            )
        scope["jackfield.public_host"] = True
        if "agents" not in open_to:
            scope[WITHOUT_AGENTS] = True

    def check_remote(self) -> None:
        """For gated paths to which another host has passed on a caller who named a public host there. Raises
        `AccessDenied`."""
        if not self._areas.opens_agents:
            raise AccessDenied(
                "The host that has this serves nothing of it by public hosts; see server.areas.agents there."
            )

    async def check(self, scope: Scope, access: Access, area: Area) -> Principal | None:
        """Steps 2 to 6 for everything that is not public.

        By a public host nobody is the daemon's own user. A reverse proxy of that user may tell nothing of its callers,
        and they would all be that user.
        """
        caller = read_headers(scope)
        scope["jackfield.forwarded"] = caller.forwarded
        self._check_origin(scope, caller, access)
        principal = await self._credential(scope, caller, access)
        public = bool(scope.get("jackfield.public_host"))
        if principal is not None:
            if public:
                self._check_method(principal, area)
            return principal
        if access == "service":
            raise AuthRequired
        if public:
            raise AuthRequired("A request by a public host needs a credential: log in, a Bearer token or an API key.")
        if caller.forwarded:
            raise AuthRequired("A forwarded request needs a credential: a Bearer token or an API key.")
        if await self._peers.same_user(scope):
            return OWNER
        raise AuthRequired(
            "This needs the daemon's own user, a Bearer token, an API key, or the token in the file daemon-token "
            "of the configuration directory."
        )

    async def identify(self, scope: Scope) -> Principal | None:
        """For public endpoints that greet whoever is known: steps 2 to 5, where a credential that is not valid counts
        as none. `scope["jackfield.peer"]` is the `Peer`."""
        caller = read_headers(scope)
        self._check_origin(scope, caller, "gated")
        peer = scope["jackfield.peer"] = await self._peer(scope, caller)
        try:
            found = await self._credential(scope, caller, "gated")
        except AuthRequired:
            found = None
        return found or (OWNER if peer == "owner" else None)

    def _check_method(self, principal: Principal, area: Area) -> None:
        methods = self._areas.methods(area)
        if methods is not None and principal.method not in methods:
            raise AuthRequired(
                f"By a public host a credential of the kind {principal.method} does not count here; "
                f"see server.areas.{area}_methods.",
                details={"setting": f"server.areas.{area}_methods"},
            )

    async def _peer(self, scope: Scope, caller: CallerHeaders) -> Peer:
        if caller.forwarded or scope.get("jackfield.public_host"):
            return "other"
        if await self._peers.same_user(scope):
            return "owner"
        return "confined" if await self._peers.same_uid(scope) else "other"

    def check_origin(self, scope: Scope, access: Access) -> None:
        """Step 2 alone, for public endpoints of the service that are not called across origins, and for open
        applications."""
        self._check_origin(scope, read_headers(scope), access)

    def _check_origin(self, scope: Scope, caller: CallerHeaders, access: Access) -> None:
        origin = caller.only(b"origin")
        allowed = access == "service" and origin is not None and self.allows_origin(origin)
        if origin is not None and not allowed and not self._is_own(origin, scope):
            raise AccessDenied("Pages of other origins may not call this daemon.")
        site = caller.only(b"sec-fetch-site")
        if site is None or site == b"same-origin" or allowed:
            return
        if site == b"none" and scope.get("method", "GET") in ("GET", "HEAD"):
            return
        raise AccessDenied("Pages of other sites may not call this daemon.")

    def _is_own(self, origin: bytes, scope: Scope) -> bool:
        """Whether the page is ours: it comes from the address that it calls. A page that another area's host serves
        may be anybody's, such as a webhook's answer."""
        host = next((value.lower() for name, value in scope["headers"] if name == b"host"), b"")
        if host in self._own_hosts:
            return origin == b"http://" + host
        return self._areas.of(host) is not None and origin in (b"https://" + host, b"http://" + host)

    def allows_origin(self, origin: bytes) -> bool:
        """Whether security.cors opens /api/v1 to this origin."""
        return origin in self._cors_origins or b"*" in self._cors_origins

    async def still_counts(self, scope: Scope, caller: Principal) -> None:
        """The credential of a connection that lasts, looked at again. Raises `AuthRequired`."""
        await self.standing(scope, caller)()
        if caller.method == SESSION:
            await self._check_session(scope, read_headers(scope), caller)

    def standing(self, scope: Scope, caller: Principal) -> Standing:
        """The same for what outlasts the connection: whose process has the credential is not asked again."""
        asked = self._asked(scope, read_headers(scope), passive=True)

        async def look() -> None:
            found = await self._authenticate(asked)
            if found is None or rights(found) != rights(caller):
                raise AuthRequired("The credential does not give the same rights any more; connect again.")

        return look

    def _asked(self, scope: Scope, caller: CallerHeaders, *, passive: bool = False) -> AuthRequest:
        headers = {name.decode("latin-1"): values for name, values in caller.headers.items()}
        return AuthRequest(
            headers,
            str(scope.get("jackfield.client", "")),
            scope["path"],
            passive,
            scope.get("method", "GET"),
            (scope.get("raw_path") or b"").partition(b"?")[0],
            scope.get("query_string", b""),
            no_body if passive else scope.get("jackfield.body", no_body),
            str((scope.get("client") or ("unknown", 0))[0]),
            self._is_trusted,
        )

    async def _credential(self, scope: Scope, caller: CallerHeaders, access: Access) -> Principal | None:
        bearer = caller.only(b"authorization")
        asked = self._asked(scope, caller)
        headers = dict(asked.headers)
        # Not for the service, which knows users only.
        owner = access == "gated" and bearer is not None and self._is_daemon_token(bearer)
        if owner:
            del headers["authorization"]
        found = await self._authenticate(replace(asked, headers=headers))
        if owner and found is not None and found.user_id != OWNER.user_id:
            raise AuthRequired("The daemon's token and a user's credential disagree; send one of them.")
        if found is None and not CREDENTIALS.isdisjoint(headers):
            raise AuthRequired("There is no authentication method that knows this credential.")
        if found is not None and found.method == SESSION:
            await self._check_session(scope, caller, found)
        return OWNER if owner else found

    async def _check_session(self, scope: Scope, caller: CallerHeaders, session: Principal) -> None:
        """A browser sends the cookie by itself, and to every port of this machine.

        So it admits only requests from our own pages. One that our own user got admits only processes that are as near.
        Raises `AccessDenied`, `SessionExpired`.
        """
        origin, site = caller.only(b"origin"), caller.only(b"sec-fetch-site")
        own = self._is_own(origin, scope) if origin is not None else site == b"same-origin"
        read = scope["type"] == "http" and scope["method"] in SAFE and origin is None and site in (None, b"none")
        if not own and not read:
            raise AccessDenied("A session's cookie admits the daemon's own pages alone, which send their Origin.")
        wanted = session.claims.get("peer", "other")
        if wanted == "other":
            return
        near = self._peers.same_user if wanted == "owner" else self._peers.same_uid
        if caller.forwarded or not await near(scope):
            raise SessionExpired

    def _is_daemon_token(self, bearer: bytes) -> bool:
        # Only a token of that form is compared, so that the file is not made for every Bearer token.
        scheme, _, value = bearer.partition(b" ")
        known = scheme.lower() == b"bearer" and value.startswith(b"jf_dt_")
        return known and hmac.compare_digest(value, self._token().encode())

    def client(self, scope: Scope) -> str:
        """The caller's address: the TCP peer's, or behind trusted proxies the last one that they did not add."""
        peer = (scope.get("client") or ("unknown", 0))[0]
        if not self._trusted or not self._is_trusted(peer):
            return str(peer)
        hops = [
            hop.strip()
            for name, value in scope["headers"]
            if name == b"x-forwarded-for"
            for hop in value.decode("latin-1").split(",")
        ]
        for hop in reversed(hops):
            if not self._is_trusted(hop):
                return str(hop[:64])
            peer = hop
        return str(peer)

    def _is_trusted(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._trusted)
