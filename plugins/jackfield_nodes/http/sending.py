"""Sends a call: redirects by hand, each hop checked; time, size and number of hops limited; secrets never follow to
another origin."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncIterator
from urllib.parse import urlencode

from jackfield.api.auth import API_KEY_HEADERS
from jackfield.api.binary import BinaryError, Content
from jackfield.api.context import PluginContext
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import Authorization, BodyKeeper, HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.plain_http import one_line
from jackfield.api.records import record, replace
from jackfield.api.tracing import present_trace
from jackfield.api.workflows import BinaryData
from jackfield_nodes.http.call import Pairs, Reply
from jackfield_nodes.http.decoding import TooLarge, UnknownEncoding, decoded
from jackfield_nodes.http.settings import HttpSettings
from jackfield_nodes.http.spans import RequestSpans
from jackfield_nodes.http.transport.exchange import answered, chunks_of
from jackfield_nodes.http.transport.failures import (
    BrokenOff,
    ConnectTimedOut,
    NoConnection,
    ProxyFailed,
    UnsendableRequest,
)
from jackfield_nodes.http.transport.fitting import require_fit
from jackfield_nodes.http.transport.guard import Forbidden
from jackfield_nodes.http.transport.pools import HttpRoute, Pools
from jackfield_nodes.http.urls import checked_url, same_origin

REDIRECTS = frozenset({301, 302, 303, 307, 308})
READS = frozenset({"GET", "HEAD"})
SECRET_HEADERS = frozenset(
    {"api-key", "apikey", "authorization", "cookie", "host", "proxy-authorization", "x-auth-token", *API_KEY_HEADERS}
)
"""Dropped, with those of the credential, when a redirect leads to another origin."""
_BODY_HEADERS = frozenset({"content-encoding", "content-length", "content-type", "transfer-encoding"})
_CONNECTION_HEADERS = frozenset({"connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"})
"""Left out: they describe the connection, which is the client's own."""
_METHOD = re.compile(r"[A-Z][A-Z0-9_-]{0,31}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@record
class Hop:
    """One request on the way."""

    method: str
    url: HttpAddress
    headers: Pairs
    body: Content | None


def _checked_headers(headers: Pairs) -> Pairs:
    """Without the white space around values, which has no meaning (RFC 9110 section 5.5)."""
    for name, value in headers:
        if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name):
            raise NodeError("A header has a name that is not valid; use letters, digits and '-'.")
        if _CONTROL.search(value):
            raise NodeError(f"The value of the header {name} has control characters, such as line ends; remove them.")
    return [(name, value.strip(" \t")) for name, value in headers]


def first_hop(call: HttpCall) -> Hop:
    """The request as the parameters describe it. Raises `NodeError`."""
    method = call.method.strip().upper()
    if not _METHOD.fullmatch(method) or method == "CONNECT":  # which asks a proxy for a tunnel
        raise NodeError("The parameter method is not an HTTP method; use GET, POST, PUT, PATCH, DELETE or HEAD.")
    url = checked_url(call.url).with_query(urlencode(call.query, errors="replace"))
    headers = [pair for pair in call.headers if pair[0].lower() not in _CONNECTION_HEADERS]
    given = {name.lower() for name, _ in headers}
    if url.user and "authorization" not in given:
        headers.append(
            ("authorization", "Basic " + base64.b64encode(f"{url.username}:{url.password}".encode()).decode())
        )
    if call.body and call.body.content_type and "content-type" not in given:
        headers.append(("content-type", call.body.content_type))
    headers = _checked_headers(headers)
    for name, value in (("accept", "*/*"), ("accept-encoding", "gzip, deflate"), ("user-agent", "jackfield")):
        if name not in given:
            headers.append((name, value))
    return Hop(method, url.without_user(), headers, call.body.content if call.body else None)


def next_hop(call: HttpCall, hop: Hop, status: int, location: str) -> Hop:
    """Where a redirect leads. Raises `NodeError`."""
    try:
        url = checked_url(str(hop.url.joined(location))).without_user()
    except ValueError:
        raise NodeError("The server redirects to a URL that is not valid.") from None
    headers, method, body = hop.headers, hop.method, hop.body
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        method, body = "GET", None
        headers = [pair for pair in headers if pair[0].lower() not in _BODY_HEADERS]
    if not same_origin(hop.url, url):
        if call.secret_body and body is not None:
            where = url.unicode_host
            raise NodeError(f"The server redirects to {where}, where the credential in the body does not belong.")
        dropped = SECRET_HEADERS | call.secret_headers
        headers = [pair for pair in headers if pair[0].lower() not in dropped]
    return replace(hop, method=method, url=url, headers=headers, body=body)


class _Lasting:
    """A keeper that may take as long as it likes."""

    def __init__(self, keeper: BodyKeeper, deadline: asyncio.Timeout) -> None:
        self._keeper = keeper
        self._deadline = deadline

    def wants(self, head: HttpReply) -> bool:
        return self._keeper.wants(head)

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        self._deadline.reschedule(None)
        return await self._keeper.keep(head, chunks)


class HttpSender:
    """Sends calls of all nodes through shared pools."""

    def __init__(self, pools: Pools, settings: HttpSettings, spans: RequestSpans) -> None:
        self._pools = pools
        self._settings = settings
        self._spans = spans
        self._lasting = 0
        """Answers of calls that last, now."""

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> Reply:
        """See `jackfield.api.http_client.HttpClient`."""
        sent = call if authorization is None else await authorization.apply(call)
        reply = await self._traced(sent)
        again = None if authorization is None else await authorization.again(sent, reply)
        return reply if again is None else await self._traced(again)

    async def _traced(self, call: HttpCall) -> Reply:
        above = present_trace()
        return await self._send(call) if above is None else await self._spans.sent(call, above, self._send)

    async def _send(self, call: HttpCall) -> Reply:
        if not call.lasting:
            return await self._timed(call)
        if self._lasting >= self._settings.max_streams:
            raise NodeError(
                f"All {self._settings.max_streams} answers that may last are in use (nodes.http.max_streams); an "
                "administrator can allow more."
            )
        self._lasting += 1
        try:
            return await self._timed(call)
        finally:
            self._lasting -= 1

    async def _timed(self, call: HttpCall) -> Reply:
        limit = min(call.timeout or self._settings.timeout, self._settings.timeout)
        hop = first_hop(call)
        try:
            async with asyncio.timeout(limit) as deadline:
                if call.lasting and call.keeper is not None:
                    call = replace(call, keeper=_Lasting(call.keeper, deadline))
                return replace(await self._follow(call, hop), secrets=[one.strip() for one in call.secrets])
        except TimeoutError:
            raise NodeError(f"{hop.url.unicode_host} did not answer within {limit:g} seconds.") from None

    async def _follow(self, call: HttpCall, hop: Hop) -> Reply:
        most = min(call.max_redirects, self._settings.max_redirects)
        for _ in range(most + 1):
            reply = await self._once(call, hop)
            location = reply.header("location")
            follows = call.follow == "all" or (call.follow == "reads" and hop.method in READS)
            if reply.status not in REDIRECTS or not location or not follows:
                return reply
            hop = next_hop(call, hop, reply.status, location)
        raise NodeError(f"The server redirects more than {most} times.")

    async def _once(self, call: HttpCall, hop: Hop) -> Reply:
        host = hop.url.unicode_host
        try:
            async with self._pools.route(hop.url, verify=call.verify, proxy=call.proxy, lasting=call.lasting) as route:
                return await self._exchange(route, call, hop)
        except Forbidden:
            raise NodeError(
                f"{host} is not on the public internet, so that nodes may not connect to it; an administrator can "
                "allow it with nodes.http.allowed_networks or allowed_hosts."
            ) from None
        except TooLarge:
            most = self._settings.max_response_bytes
            raise NodeError(
                f"The answer of {host} is larger than {most} bytes (nodes.http.max_response_bytes)."
            ) from None
        except BinaryError as exc:
            raise NodeError(f"A file that goes to {host} or comes from there fails: {exc.message}") from None
        except UnknownEncoding as exc:
            raise NodeError(f"The answer of {host} is compressed as {exc}; only gzip and deflate are read.") from None
        except ConnectTimedOut:
            longest = self._settings.connect_timeout
            raise NodeError(
                f"No connection to {host} within {longest:g} seconds (nodes.http.connect_timeout)."
            ) from None
        except TimeoutError:
            raise
        except NoConnection as exc:
            raise NodeError(f"No connection to {host}: {exc}.") from None
        except UnsendableRequest:
            raise NodeError(f"The request to {host} cannot be sent as it is; check its URL and headers.") from None
        except (BrokenOff, ProxyFailed, OSError) as exc:
            raise NodeError(f"The exchange with {host} broke off: {one_line(exc)}.") from None

    async def _exchange(self, route: HttpRoute, call: HttpCall, hop: Hop) -> Reply:
        async with answered(route, hop.method, hop.url, hop.headers, hop.body) as response:
            raw = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers)
            reason = (response.reason or "").encode("utf-8", "surrogateescape").decode("latin-1")
            head = Reply(response.status, reason, [(name.lower(), value) for name, value in raw], b"", str(hop.url))
            chunks = chunks_of(response)
            if call.keeper is not None and 200 <= head.status < 300 and call.keeper.wants(head):
                return replace(
                    head, file=await call.keeper.keep(head, decoded(chunks, head.header("content-encoding")))
                )
            return replace(head, body=await self._whole(chunks, head))

    async def _whole(self, chunks: AsyncIterator[bytes], head: Reply) -> bytes:
        most = self._settings.max_response_bytes
        body = bytearray()
        async for chunk in decoded(chunks, head.header("content-encoding")):
            if len(body) + len(chunk) > most:
                raise TooLarge
            body += chunk
        return bytes(body)


def sender(context: PluginContext) -> HttpSender:
    """One for all nodes of a daemon. Raises `NodeError` when the installed aiohttp does not fit."""
    require_fit()
    return HttpSender(Pools(context), context.settings(HttpSettings), RequestSpans(context))
