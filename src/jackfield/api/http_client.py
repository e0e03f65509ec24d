"""Requests to other servers: the one way out for nodes and credentials, with its checks on addresses at every hop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from .binary import Content
from .host_names import host_allowed as host_allowed
from .host_names import host_key as host_key
from .host_names import host_named as host_named
from .host_names import is_loopback as is_loopback
from .records import record
from .workflows import BinaryData

Pairs: TypeAlias = "list[tuple[str, str]]"


@record
class HttpBody:
    """The content to send and its type; None: the author's own header counts.

    A stream is opened anew for every redirect and for the second request that a credential asks for, and goes with its
    length.
    """

    content: Content
    content_type: str | None = None

    @property
    def whole(self) -> bytes | None:
        """The content when it is in memory; None: it is a stream, which has files in it."""
        return self.content if isinstance(self.content, bytes) else None


class BodyKeeper(Protocol):
    """Puts bodies of answers where they belong, without having them whole in memory."""

    def wants(self, head: HttpReply) -> bool:
        """Whether the body of this answer is to be kept. head: the answer, its body still to come."""

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Keep it, after decompression. Raises `NodeError`, `BinaryError`, and what reading the chunks raises."""


@record
class HttpCall:
    """One request.

    `follow`: which methods follow redirects. `timeout`: seconds, None: as the settings say. `lasting`: that no timeout
    holds any more once a body has begun that the keeper wants, such as events without end. `proxy`: an `http://` URL.
    `secrets`: values that must not be shown.
    """

    method: str
    url: str
    query: Pairs = field(default_factory=list)
    headers: Pairs = field(default_factory=list)
    body: HttpBody | None = None
    follow: Literal["none", "reads", "all"] = "all"
    max_redirects: int = 21
    timeout: float | None = None
    lasting: bool = False
    verify: bool = True
    proxy: str | None = None
    secrets: Sequence[str] = ()
    secret_headers: frozenset[str] = frozenset()
    """Lower-case names of headers that the credential set; a redirect to another origin drops them."""
    secret_body: bool = False
    """Whether the body holds a secret; a redirect that would repeat it at another origin fails."""
    service: str = ""
    """Of AWS, for a credential that signs the request for one; empty: the host's name tells it."""
    keeper: BodyKeeper | None = None
    """The keeper of the body of a last answer with a status of 2xx; None: the body comes with the answer."""


@record
class HttpReply:
    """A whole answer.

    `headers`: lower-case names. `url`: where it came from, without a user name. `secrets`: what the request carried, to
    be masked wherever the answer is quoted. `file`: what the call's keeper made of the body, which is empty then.
    """

    status: int
    reason: str
    headers: Pairs
    body: bytes
    url: str
    secrets: Sequence[str] = ()
    file: BinaryData | None = None

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
        """The request to send, once, after this answer: a digest for its challenge, a refreshed token.

        None: the answer stands.
        """


class HttpClient(Protocol):
    """The port: sends requests through shared pools. It connects to public addresses and to those that the settings
    allow (`nodes.http`), whatever names, redirects or proxies lead there."""

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        """The last answer, whatever its status. Raises `NodeError` for everything that kept it from coming whole."""
