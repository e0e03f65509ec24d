"""Requests through an HTTP proxy, without giving up the checks: the proxy's own address is checked like any other, and
it is asked for a tunnel to an address that was checked here, never for a name that it would resolve itself."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import httpcore
import httpx

from jackfield.api.nodes import NodeError
from jackfield_nodes.http.guard import AddressGuard, Forbidden

_HEAD_LIMIT = 16 * 1024
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


def checked_proxy(text: str) -> httpx.URL:
    """An `http://` URL with a host. Raises `NodeError`."""
    written = text.strip() if "://" in text else f"http://{text.strip()}"
    try:
        url = httpx.URL(written)
    except (httpx.InvalidURL, UnicodeError):
        raise NodeError("The option proxy is not a URL; write it as http://proxy.example.com:3128.") from None
    if url.scheme != "http" or not url.host:
        raise NodeError("The option proxy must be an http:// URL with a host, such as http://proxy.example.com:3128.")
    return url


class TunnelBackend(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses through one proxy. TLS to the target passes through the tunnel."""

    def __init__(self, direct: httpcore.AsyncNetworkBackend, guard: AddressGuard, proxy: httpx.URL) -> None:
        """direct: connects to the proxy, with its checks."""
        self._direct = direct
        self._guard = guard
        self._proxy = proxy

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,  # as in the base class
    ) -> httpcore.AsyncNetworkStream:
        address = (await self._guard.addresses(host, port))[0]
        stream = await self._to_proxy(timeout)
        try:
            async with asyncio.timeout(timeout):
                await self._open(stream, f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _to_proxy(self, timeout: float | None) -> httpcore.AsyncNetworkStream:
        host = self._proxy.host
        try:
            return await self._direct.connect_tcp(host, self._proxy.port or 80, timeout)
        except Forbidden:
            raise httpcore.ProxyError(
                f"the proxy {host} is not on the public internet; nodes.http.allowed_hosts can allow it"
            ) from None
        except (httpcore.ConnectError, OSError) as exc:
            raise httpcore.ProxyError(f"no connection to the proxy {host} ({exc})") from None

    async def _open(self, stream: httpcore.AsyncNetworkStream, target: str) -> None:
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self._proxy.userinfo:
            user = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password)}"
            lines.append("Proxy-Authorization: Basic " + base64.b64encode(user.encode()).decode())
        await stream.write("\r\n".join([*lines, "", ""]).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            # Byte by byte: what follows the head belongs to the target.
            byte = await stream.read(1)
            if not byte or len(head) > _HEAD_LIMIT:
                raise httpcore.ProxyError("the proxy gave no proper answer")
            head += byte
        status = _STATUS.match(head)
        if status is None or not status[1].startswith(b"2"):
            raise httpcore.ProxyError(f"the proxy refused with status {status[1].decode() if status else 'unknown'}")

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.UnsupportedProtocol("Unix sockets are not available to nodes")

    async def sleep(self, seconds: float) -> None:
        await self._direct.sleep(seconds)
