"""Sessions whose connections go to checked addresses only. No proxy, no cookie and no setting comes from elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, InvalidURL, TCPConnector
from yarl import URL

from jackfield.api.context import PluginContext
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.plain_http import client_url
from jackfield.api.records import record
from jackfield.api.tls import client_tls
from jackfield_nodes.http.settings import HttpSettings
from jackfield_nodes.http.transport.connections import GuardedConnector, written_out
from jackfield_nodes.http.transport.failures import UnsendableRequest
from jackfield_nodes.http.transport.guard import AddressGuard
from jackfield_nodes.http.transport.proxy import TunnelConnector, checked_proxy, tunnel_to

_LONGEST_FIELD = 64 * 1024
"""Bytes of a line in the head of an answer."""
_MOST_FIELDS = 256
_TUNNEL = "tunnel.invalid"
"""A name in place of the target's: it is looked up nowhere, because the tunnel ends at the target."""


@record
class HttpRoute:
    """How one request goes out. url: as the session is asked for it; tls_name: the host that TLS verifies."""

    session: ClientSession
    url: URL
    tls_name: str | None = None


class Pools:
    """One pool for verified TLS and one for any certificate.

    Connections whose answers last have the same two again, since they would leave none for other requests. Made on
    first use, closed with the daemon.
    """

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(HttpSettings)
        self._guard = AddressGuard(
            self._settings.allowed_networks, self._settings.allowed_hosts, self._settings.connect_timeout
        )
        self._sessions: dict[tuple[bool, bool], ClientSession] = {}
        self._lock = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def route(
        self, target: HttpAddress, *, verify: bool, proxy: str | None, lasting: bool = False
    ) -> AsyncIterator[HttpRoute]:
        """The route to the target; one through a proxy is for one request. lasting: for an answer that lasts. Raises
        `NodeError` for a proxy that is none, `ProxyFailed`, `Forbidden`, `NoConnection`, `UnsendableRequest`."""
        try:
            url = client_url(target, host=written_out(target.host) if proxy is None else _TUNNEL)
        except InvalidURL:
            raise UnsendableRequest from None
        if proxy is None:
            yield HttpRoute(await self._session(verify, lasting), url)
            return
        tls = await asyncio.to_thread(client_tls, verify=verify)
        tunnel = await tunnel_to(target, checked_proxy(proxy), self._guard, self._settings.connect_timeout)
        with tunnel:
            async with self._made(TunnelConnector(tunnel, tls)) as session:
                yield HttpRoute(session, url, target.host)

    async def _session(self, verify: bool, lasting: bool) -> ClientSession:
        kind = verify, lasting
        async with self._lock:
            if kind not in self._sessions:
                tls = await asyncio.to_thread(client_tls, verify=verify)
                most = self._settings.max_streams if lasting else self._settings.max_connections
                made = self._made(GuardedConnector(self._guard, tls, most))
                self._sessions[kind] = made
                self._context.spawn("http-pool", self._close_at_end(made))
        return self._sessions[kind]

    def _made(self, connector: TCPConnector) -> ClientSession:
        return ClientSession(
            connector=connector,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=self._settings.connect_timeout),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            auto_decompress=False,
            trust_env=False,
            max_line_size=_LONGEST_FIELD,
            max_field_size=_LONGEST_FIELD,
            max_headers=_MOST_FIELDS,
        )

    @staticmethod
    async def _close_at_end(session: ClientSession) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await session.close()
            raise
