"""Connection pools that connect to checked addresses only. No proxy and no setting comes from the environment."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Iterable
from functools import lru_cache
from typing import Any

import certifi
import httpcore

from jackfield.api.context import PluginContext
from jackfield_nodes.http.guard import AddressGuard
from jackfield_nodes.http.proxy import TunnelBackend, checked_proxy
from jackfield_nodes.http.settings import HttpSettings

KEEP_ALIVE_S = 15


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name once, and connects to an address that the guard permits. TLS still verifies the name."""

    def __init__(self, guard: AddressGuard, connect_timeout: float) -> None:
        self._guard = guard
        self._connect_timeout = connect_timeout
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,  # as in the base class
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception = httpcore.ConnectError("no address")
        limit = min(timeout or self._connect_timeout, self._connect_timeout)
        for address in await self._guard.addresses(host, port):
            try:
                return await self._sockets.connect_tcp(address, port, limit, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failure = exc
        raise failure

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.UnsupportedProtocol("Unix sockets are not available to nodes")

    async def sleep(self, seconds: float) -> None:
        await self._sockets.sleep(seconds)


@lru_cache(maxsize=2)
def tls_context(*, verify: bool) -> ssl.SSLContext:
    """The system's certificate authorities and those of certifi; without `verify`, anybody's certificate."""
    tls = ssl.create_default_context(cafile=certifi.where())
    if verify:
        tls.load_default_certs()
        return tls
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    return tls


class Pools:
    """One pool for verified TLS and one for any certificate, made on first use, closed with the daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(HttpSettings)
        self._guard = AddressGuard(self._settings.allowed_networks, self._settings.allowed_hosts)
        self._pools: dict[bool, httpcore.AsyncConnectionPool] = {}
        self._lock = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def lent(self, *, verify: bool, proxy: str | None) -> AsyncIterator[httpcore.AsyncConnectionPool]:
        """The pool for this kind of request; one with a proxy lives for that request. Raises `NodeError` for a proxy
        that is none."""
        if proxy is None:
            yield await self.pool(verify=verify)
            return
        tls = await asyncio.to_thread(tls_context, verify=verify)
        async with self._make(tls, TunnelBackend(self._backend(), self._guard, checked_proxy(proxy))) as pool:
            yield pool

    async def pool(self, *, verify: bool) -> httpcore.AsyncConnectionPool:
        """The shared pool for requests without a proxy."""
        async with self._lock:
            if verify not in self._pools:
                tls = await asyncio.to_thread(tls_context, verify=verify)
                self._pools[verify] = self._make(tls, self._backend())
                self._context.spawn("http-pool", self._close_at_end(self._pools[verify]))
        return self._pools[verify]

    def _backend(self) -> GuardedBackend:
        return GuardedBackend(self._guard, self._settings.connect_timeout)

    def _make(self, tls: ssl.SSLContext, backend: httpcore.AsyncNetworkBackend) -> httpcore.AsyncConnectionPool:
        settings = self._settings
        return httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=settings.max_connections,
            max_keepalive_connections=settings.max_connections,
            keepalive_expiry=KEEP_ALIVE_S,
            network_backend=backend,
        )

    @staticmethod
    async def _close_at_end(pool: httpcore.AsyncConnectionPool) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await pool.aclose()
            raise


@contextlib.asynccontextmanager
async def opened(pool: httpcore.AsyncConnectionPool, request: httpcore.Request) -> AsyncIterator[httpcore.Response]:
    """The response with its body still to be read; closed at the end."""
    response = await pool.handle_async_request(request)
    try:
        yield response
    finally:
        await response.aclose()
