"""The caller, and the caller's rights."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias, get_args

from .errors import AccessDenied
from .records import record, replace

ROLES = ("viewer", "member", "admin")
API_KEY_HEADERS = ("x-api-key", "x-n8n-api-key")
"""Headers that carry an API key; clients of n8n send the second."""
SESSION = "session"
"""The method of a cookie that a browser sends by itself: the gate takes it from the daemon's own pages alone."""
OAUTH_TOKEN = b"jf_oa_"
"""How an access token of our own OAuth begins."""
PROFILE_TOKEN = b"jf_pt_"
"""How the token of a profile's run begins."""
OPAQUE_TOKENS = (OAUTH_TOKEN, PROFILE_TOKEN)
"""The method `jwt` leaves these to the ones that know them."""
Peer = Literal["other", "confined", "owner"]
"""The process that calls: `other` is another user's, and `owner` the daemon's own user's. `confined` is the daemon's
own user's where the daemon cannot see that it is no agent's."""
PEERS: tuple[Peer, ...] = get_args(Peer)
"""Each is nearer than the one before, and may do what that may."""
Standing: TypeAlias = Callable[[], Awaitable[None]]
"""Asked at any time after a request: raises `AuthRequired` once its caller's credential has ended or gives other
rights."""
AGENTS_READ = "agents:read"
AGENTS_WRITE = "agents:write"
"""Of all that is outside `/api/v1`: whoever starts an agent can do what the daemon's user can."""
MACHINE_WRITE = "machine:write"
"""Of workflows that reach the machine: its commands, its files, other machines over SSH."""
SCOPES = frozenset(
    {
        AGENTS_READ,
        AGENTS_WRITE,
        MACHINE_WRITE,
        "workflows:read",
        "workflows:write",
        "workflows:execute",
        "executions:read",
        "webhooks:read",
        "credentials:write",
        "data-tables:read",
        "data-tables:write",
        "evaluations:read",
        "evaluations:write",
    }
)
_READS = frozenset(
    {AGENTS_READ, "workflows:read", "executions:read", "webhooks:read", "data-tables:read", "evaluations:read"}
)
ROLE_SCOPES: Mapping[str, frozenset[str]] = {"viewer": _READS, "member": SCOPES, "admin": SCOPES}
"""Scopes that a role gives. `users:admin` is no scope: it is the role admin."""
_OF_THE_MACHINE = frozenset({AGENTS_READ, AGENTS_WRITE, MACHINE_WRITE})
"""They reach what every project has, so that a credential that is limited to some has them by name alone."""


@record
class Principal:
    """A verified caller.

    `method`: jwt, api_key, basic, session or owner. `scopes`: None = all that the role gives. `projects`: None = all
    that the user is in. `claims`: the additions of the method. `jti` and `exp` are a JWT's; `peer` says how near a
    process must be to use a session; a connection ends when `version` changes.
    """

    user_id: str
    username: str
    role: str
    method: str
    scopes: frozenset[str] | None = None
    claims: Mapping[str, object] = field(default_factory=dict)
    projects: frozenset[str] | None = None

    @property
    def is_limited(self) -> bool:
        """Whether the credential gives less than its user may and reaches."""
        return self.scopes is not None or self.projects is not None

    def may(self, scope: str) -> bool:
        return scope in ROLE_SCOPES.get(self.role, frozenset()) and (
            scope in self.scopes if self.scopes is not None else self.projects is None or scope not in _OF_THE_MACHINE
        )

    def without(self, *scopes: str) -> Principal:
        """The same caller without the rights of these scopes."""
        given = self.scopes
        if given is None:
            given = frozenset(scope for scope in ROLE_SCOPES.get(self.role, frozenset()) if self.may(scope))
        return replace(self, scopes=given - set(scopes))

    def require(self, scope: str) -> None:
        """Raises `AccessDenied` that names the missing scope, or the role that would give it."""
        if self.may(scope):
            return
        if self.scopes is not None and scope not in self.scopes:
            raise AccessDenied(f"This API key lacks the scope {scope}.", details={"scope": scope})
        if self.projects is not None and scope in _OF_THE_MACHINE:
            raise AccessDenied(
                f"An API key that is limited to projects has the scope {scope} only when its scopes name it.",
                details={"scope": scope},
            )
        raise AccessDenied(
            f"The role {self.role} lacks the scope {scope}; it needs the role member.",
            details={"scope": scope, "role": "member"},
        )

    def require_look(self) -> None:
        """For what tells about agents and their profiles. Raises `AccessDenied` for an API key with scopes of which
        none is `agents:read`."""
        self.require(AGENTS_READ)

    def require_change(self) -> None:
        """For what starts or changes something outside `/api/v1`. Raises `AccessDenied` for a viewer, and for an API
        key with scopes of which none is `agents:write`."""
        self.require(AGENTS_WRITE)

    def require_admin(self) -> None:
        """Raises `AccessDenied` unless the caller is an administrator with an unrestricted credential."""
        if self.role != "admin" or self.is_limited:
            raise AccessDenied("This needs the role admin.", details={"role": "admin"})


OWNER = Principal("owner", "owner", "admin", "owner")
"""The daemon's own user, who is nobody in the table of users."""


async def unending() -> None:
    """The `Standing` of the daemon's own user, from whom nothing is taken."""


def nobody(address: str) -> bool:
    """Trusts no proxy."""
    return False


async def no_body() -> bytes:
    """The body of a request that has none, and of every passive look."""
    return b""


@record
class AuthRequest:
    """The parts of a request that an authentication method may look at: header values by lower-case name, the client's
    address, and the target. `path`: decoded. `raw_path` and `query`: the bytes that were sent, without the question
    mark.
    """

    headers: Mapping[str, list[bytes]]
    client: str
    path: str
    passive: bool = False
    """Whether it only asks if the credential, which was valid when the connection was opened, is still valid. That is
    no use of it. A password needs no new check where the principal's `version` claim shows a new one. A signature has
    been verified then: its time may be over, and its body is gone."""
    method: str = "GET"
    raw_path: bytes = b""
    query: bytes = b""
    read_body: Callable[[], Awaitable[bytes]] = no_body
    peer: str = ""
    """The address that the connection comes from; `client` is the one that trusted proxies name."""
    trusts: Callable[[str], bool] = nobody

    def is_by_trusted_proxy(self) -> bool:
        """Whether the connection is one of `server.trusted_proxies`. Only then is a header that proxies set, such as a
        client certificate's, theirs: anybody else may send it too."""
        return self.trusts(self.peer)

    def header(self, name: str) -> bytes | None:
        """The only value of the header; None when absent. Two values are joined and so fail verification."""
        found = self.headers.get(name)
        return None if not found else b", ".join(found)

    def scheme(self) -> str:
        """The scheme of the Authorization header, in lower case; empty without one."""
        return (self.header("authorization") or b"").strip().partition(b" ")[0].decode("latin-1").lower()

    async def body(self) -> bytes:
        """The whole body. The gate reads it before it knows anybody, so look at the rest of the request first. The view
        gets the body as well.

        Raises:
            PayloadTooLarge: It is larger than `security.auth.body_limit`.
            RequestTimeout: It did not arrive within `server.body_timeout`.
        """
        return await self.read_body()


class Authentication(Protocol):
    """The port: who calls."""

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        """Every authentication method in turn; None when the request carries no credential. Raises `AuthRequired`."""

    def confine_agents(self) -> None:
        """Called before an agent starts in a sandbox.

        From then on, a caller without a credential is the daemon's own user only if its process is in the daemon's user
        namespace.
        """


class AuthMethod(Protocol):
    """One way to prove who calls.

    `authenticate` answers None when the request carries nothing of this method, raises an `AuthRequired` when it does
    but the credential is not valid. Every credential in a request must be valid and name the same user.
    """

    name: str

    async def authenticate(self, request: AuthRequest) -> Principal | None: ...


class SchemeMethod(AuthMethod, Protocol):
    """A method with its own schemes of the Authorization header, such as `AWS4-HMAC-SHA256`.

    A header with one of them is shown to this method alone, and a request for which the method then answers None is
    refused. Case does not tell schemes apart.
    """

    schemes: Sequence[str]
