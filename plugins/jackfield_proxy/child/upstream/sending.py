"""Requests to providers, with time limits up to the beginning of the answer."""

from __future__ import annotations

import asyncio
import errno
import io
import time
from collections import OrderedDict
from collections.abc import AsyncIterator

import aiohttp
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from jackfield.api import dialects
from jackfield.api.dialects.model import DialectError
from jackfield.api.records import record
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.client_body import ClientBody
from jackfield_proxy.child.incoming.client_request import ClientRequest, UpstreamRequest
from jackfield_proxy.child.incoming.large import LARGE
from jackfield_proxy.child.upstream import failures, opening
from jackfield_proxy.child.upstream.clean_connections import CleanConnector
from jackfield_proxy.child.upstream.concealing import Concealer, concealer_of
from jackfield_proxy.child.upstream.concurrency import ConcurrencyLimiter
from jackfield_proxy.child.upstream.event_frames import FRAMED, UnframedReply
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.child.upstream.kept_connections import KeptConnections
from jackfield_proxy.child.upstream.key_turns import KeyTurns, mark_of
from jackfield_proxy.child.upstream.logins import ProviderLogins
from jackfield_proxy.child.upstream.replies import ProviderReply
from jackfield_proxy.child.upstream.unpacking import unpacked
from jackfield_proxy.plan import ProxyLimits, ProxyPlan, Target, Upstream
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.routing.health import TargetRecords

LARGEST_ERROR = 256 * 1024
"""Bytes of a refusal that are read."""
HEAD_LIMIT = 64 * 1024
"""Bytes of one header of an answer."""
LEAST_STATUS = 200
SIGNATURES = 10_000
"""Signatures of tool calls that are remembered."""
_WEB_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_JSON = ("Content-Type", "application/json")
_UNSET = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")


@record
class Opened:
    """A provider that serves: the head of its answer is there, and of a stream its beginning.

    `attempts`: of sending the request. `account`: a mark of the key that was used.
    """

    reply: ProviderReply
    beginning: bytes
    outgoing: UpstreamRequest
    candidate: Candidate
    attempts: int
    seconds: float
    account: str = ""


class UpstreamSender:
    """Shared by all requests: connections, the health of targets, signatures of tool calls."""

    def __init__(self, plan: ProxyPlan) -> None:
        self.health = TargetRecords(time.monotonic)
        self.limiter = ConcurrencyLimiter()
        self.keys = KeyTurns(time.monotonic)
        self.signatures: OrderedDict[str, str] = OrderedDict()
        self._logins = ProviderLogins()
        self._connect_timeout = plan.limits.connect_timeout
        # Looking for web proxies takes a thread for each request, and reads ~/.netrc.
        self._web_proxies = any(name.lower() in _WEB_PROXIES for name in plan.environment)
        self._session: aiohttp.ClientSession | None = None
        self._kept: KeptConnections | None = None

    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = CleanConnector(limit=0, keepalive_timeout=30.0, ttl_dns_cache=60)
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                skip_auto_headers=_UNSET,
                trust_env=self._web_proxies,
                max_line_size=HEAD_LIMIT,
                max_field_size=HEAD_LIMIT,
            )
            if not self._web_proxies:  # requests through one are written otherwise
                self._kept = KeptConnections(self._session, connector, HEAD_LIMIT)
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def free(self, plan: ProxyPlan, target: Target) -> bool:
        """Whether the target is healthy, and its provider would get a request at once."""
        upstream = plan.upstreams.get(target.provider)
        return upstream is not None and not self.health.open_for(target) and self.limiter.free(upstream)

    def remember(self, call_id: str, signature: str) -> None:
        self.signatures[call_id] = signature
        if len(self.signatures) > SIGNATURES:
            self.signatures.popitem(last=False)

    def concealer(self, upstream: Upstream, outgoing: UpstreamRequest) -> Concealer:
        """Of what the provider has been shown, in its words."""
        return concealer_of(upstream, outgoing.login, self._logins.tokens())

    def closed(self, opened: Opened) -> None:
        self.health.ended(opened.candidate.target)
        self.limiter.leave(opened.candidate.target.provider)
        opened.reply.close() if not opened.reply.content.at_eof() else opened.reply.release()

    def failed(self, target: Target, refused: UpstreamFailure, limits: ProxyLimits) -> None:
        """Counts against the target, where it is its fault."""
        if refused.cooling:
            self.health.failed(target, limits, refused.error.retry_after)

    async def attempt(self, plan: ProxyPlan, call: ClientRequest, candidate: Candidate, attempts: int) -> Opened:
        """The caller that gets it calls `closed`. attempts: this one included. Raises `UpstreamFailure`."""
        target, limits = candidate.target, plan.limits
        try:
            upstream = addressing.upstream_of(plan, target.provider)
            outgoing = await call.for_upstream(upstream, target, self.signatures)
        except DialectError as exc:  # nothing was sent: another target may speak the client's own dialect
            raise UpstreamFailure(exc, elsewhere=True) from None
        await self.limiter.enter(upstream)
        began = time.monotonic()
        self.health.began(target)
        opened = False
        key = self._key(plan, call, upstream)
        try:
            reply = await self.post(outgoing, upstream, key, limits)
            seconds = time.monotonic() - began
            if reply.status >= 300:
                raise await _refusal(reply, outgoing, self.concealer(upstream, outgoing))
            framed = upstream.platform == "bedrock" and reply.headers.get("Content-Type") == FRAMED
            answer = UnframedReply(reply) if framed else reply
            streams = opening.is_stream(answer)
            beginning = await _beginning(answer, outgoing, target.provider, limits) if streams else b""
            self.health.answered(target, seconds)
            opened = True
            return Opened(answer, beginning, outgoing, candidate, attempts, seconds, mark_of(upstream.id, key))
        except UpstreamFailure as exc:
            exc.conceal(self.concealer(upstream, outgoing))
            exc.elsewhere = exc.elsewhere or outgoing.translated  # these are not the client's own words
            another = self.keys.refused(upstream, key, exc, limits)
            exc.other_key = (
                another and not call.account and (not call.of_one_account or self.keys.first(upstream) != key)
            )
            if not exc.other_key:
                self.failed(target, exc, limits)
            raise
        finally:
            if not opened:
                self.health.ended(target)
                self.limiter.leave(upstream.id)

    def _key(self, plan: ProxyPlan, call: ClientRequest, upstream: Upstream) -> str:
        if call.account and (own := self.keys.of_account(upstream, call.account)):
            return own
        if call.of_one_account:
            return self.keys.first(upstream)
        return self.keys.next(upstream, call.conversation if plan.sticky is not None else "")

    async def post(self, outgoing: UpstreamRequest, upstream: Upstream, key: str, limits: ProxyLimits) -> ProviderReply:
        """Up to the head of the answer. Raises `UpstreamFailure`."""
        provider = upstream.id
        try:
            login = await self._logins.headers(upstream, key, outgoing, limits)
        except DialectError as exc:
            raise UpstreamFailure(exc, elsewhere=True) from None
        try:
            headers = CIMultiDict([*outgoing.headers, *login])
            seconds, body = limits.first_byte_timeout, outgoing.body
            reply: ProviderReply | None = None
            if self._kept is not None and outgoing.method == "POST" and type(body) is bytes and len(body) < LARGE:
                reply = await self._kept.post(outgoing.url, headers, body, seconds)
            return _with_status(reply or await self._over_new(outgoing, headers, seconds))
        except aiohttp.ConnectionTimeoutError:
            raise failures.unreachable(provider, "no connection in time") from None
        except TimeoutError:
            raise failures.silent(provider, limits.first_byte_timeout) from None
        except (aiohttp.ClientError, HttpProcessingError, OSError, ValueError, RuntimeError) as exc:
            if isinstance(outgoing.body, ClientBody) and outgoing.body.error is not None:
                raise UpstreamFailure(outgoing.body.error) from None
            raise failures.unreachable(provider, _reason(exc), lasting=_nobody_there(exc)) from None

    async def _over_new(
        self, outgoing: UpstreamRequest, headers: CIMultiDict[str], seconds: float
    ) -> aiohttp.ClientResponse:
        async with asyncio.timeout(seconds) as waiting:
            return await self.session().request(
                outgoing.method,
                URL(outgoing.url, encoded=True),
                data=_in_pieces(outgoing.body, waiting, seconds),
                headers=headers,
                allow_redirects=False,
            )


def _with_status(reply: ProviderReply) -> ProviderReply:
    """Raises HttpProcessingError for a number that is no status: parsers take any three digits."""
    if reply.status < LEAST_STATUS:
        reply.close()
        raise HttpProcessingError
    return reply


def _nobody_there(error: Exception) -> bool:
    if isinstance(error, aiohttp.ClientConnectorDNSError | aiohttp.InvalidURL | ValueError):
        return True
    return isinstance(error, aiohttp.ClientConnectorError) and error.os_error.errno == errno.ECONNREFUSED


def _in_pieces(
    body: bytes | ClientBody, waiting: asyncio.Timeout, seconds: float
) -> bytes | io.BytesIO | AsyncIterator[bytes] | None:
    """A large one, so that it does not hold up other requests while it is sent.

    `waiting`: for that many seconds, which begin when all of a stream was sent.
    """
    if isinstance(body, ClientBody):
        waiting.reschedule(None)
        body.ended = lambda: waiting.reschedule(asyncio.get_running_loop().time() + seconds)
        return body.parts()
    return (body if len(body) < LARGE else io.BytesIO(body)) or None


def _reason(error: Exception) -> str:
    """Without addresses and headers, in which there may be keys."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return error.os_error.strerror or "connection failed"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "it closed the connection"
    if isinstance(error, aiohttp.ClientResponseError | HttpProcessingError):
        return "its answer is no HTTP"
    return type(error).__name__


async def _beginning(reply: ProviderReply, outgoing: UpstreamRequest, provider: str, limits: ProxyLimits) -> bytes:
    """Raises `UpstreamFailure`."""
    begun = False
    try:
        seconds = limits.opening_timeout if outgoing.answers else 0
        found = await opening.opened(reply, outgoing.dialect, seconds)
        begun = True
    except (aiohttp.ClientError, OSError, ValueError, RuntimeError) as exc:
        raise failures.cut_off(provider, _reason(exc)) from None
    finally:
        if not begun:
            reply.close()
    return found


async def _refusal(reply: ProviderReply, outgoing: UpstreamRequest, concealer: Concealer) -> UpstreamFailure:
    """Its answer is no longer compressed: nobody sees otherwise whether there is a key in it."""
    try:
        async with asyncio.timeout(10):
            body = await up_to(reply, LARGEST_ERROR)
    except (TimeoutError, aiohttp.ClientError, OSError, RuntimeError):
        body = b""
    finally:
        reply.release()
    if reply.status < 400:
        error = DialectError(502, f"The provider redirects (status {reply.status}); its endpoint has to be corrected.")
        return UpstreamFailure(error, elsewhere=True)
    after = reply.headers.get("Retry-After")
    plain = unpacked(body, reply.headers.get("Content-Encoding", "").strip().lower(), LARGEST_ERROR)
    plain = concealer.body(plain)
    codec = dialects.of(outgoing.dialect)
    error = codec.parse_error(reply.status, plain, after)
    pairs = addressing.returned_headers(reply.headers.items())
    pairs = [(key, value) for key, value in pairs if key.lower() != "content-encoding"]
    if body and not plain:
        plain = codec.error_body(error)[1]
        pairs = [*((key, value) for key, value in pairs if key.lower() != "content-type"), _JSON]
    headers = {key.lower(): value for key, value in pairs}
    return failures.refused(error, reply.status, headers, plain, pairs)


async def up_to(reply: ProviderReply, limit: int) -> bytes:
    parts, size = [], 0
    while part := await reply.content.readany():
        parts.append(part)
        size += len(part)
        if size >= limit:
            break
    return b"".join(parts)[:limit]
