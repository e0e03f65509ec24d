"""Requests to other servers: the one way out for nodes and credentials, with its checks on addresses at every hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from .records import record

Pairs: TypeAlias = "list[tuple[str, str]]"


@record
class HttpBody:
    """Bytes and their type; None: the author's own header counts."""

    content: bytes
    content_type: str | None = None


@record
class HttpCall:
    """One request. follow: which methods follow redirects; timeout: seconds, None: as the settings say; proxy: an
    `http://` URL; secrets: values that must not be shown."""

    method: str
    url: str
    query: Pairs = field(default_factory=list)
    headers: Pairs = field(default_factory=list)
    body: HttpBody | None = None
    follow: Literal["none", "reads", "all"] = "all"
    max_redirects: int = 21
    timeout: float | None = None
    verify: bool = True
    proxy: str | None = None
    secrets: Sequence[str] = ()
    secret_headers: frozenset[str] = frozenset()
    """Lower-case names of headers that the credential set; a redirect to another origin drops them."""
    secret_body: bool = False
    """Whether the body holds a secret; a redirect that would repeat it at another origin fails."""


@record
class HttpReply:
    """A whole answer. headers: lower-case names; url: where it came from, without a user name; secrets: what the
    request carried, to be masked wherever the answer is quoted."""

    status: int
    reason: str
    headers: Pairs
    body: bytes
    url: str
    secrets: Sequence[str] = ()

    def header(self, name: str) -> str:
        """The first value, or nothing."""
        return next((value for key, value in self.headers if key == name), "")


class Authorization(Protocol):
    """A credential that can be put on requests; its values stay inside."""

    @property
    def kind(self) -> str: ...

    @property
    def allowed_hosts(self) -> str:
        """Hosts that it may be sent to, comma separated; empty: any."""

    async def apply(self, call: HttpCall) -> HttpCall:
        """The request with the credential. Raises `NodeError`: the credential may not be sent to this host
        (`allowedHosts`), is incomplete, or its token cannot be had."""

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        """What to send, once, after this answer: a digest for its challenge, a refreshed token. None: the answer
        stands."""


class HttpClient(Protocol):
    """The port: sends requests through shared pools. It connects to public addresses and to those that the settings
    allow (`nodes.http`), whatever names, redirects or proxies lead there."""

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        """The last answer, whatever its status. Raises `NodeError` for everything that kept it from coming whole."""


def host_key(host: str) -> str:
    """The host as it is compared: lower case, without brackets and trailing dot."""
    return host.strip("[]").rstrip(".").lower()


def host_named(host: str, names: str) -> bool:
    """Whether the comma-separated list has the host, `*.` and a parent of it, or `*`."""
    key = host_key(host)
    listed = [host_key(name.strip()) for name in names.split(",") if name.strip()]
    return any(key == name or (name.startswith("*.") and key.endswith(name[1:])) or name == "*" for name in listed)


def host_allowed(host: str, allowed: str) -> bool:
    """The same; an empty list has every host."""
    return not allowed.replace(",", "").strip() or host_named(host, allowed)
