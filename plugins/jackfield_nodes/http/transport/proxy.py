"""Requests through an HTTP proxy, without giving up the checks.

The proxy's own address is checked like any other. The proxy opens a tunnel to an address that was checked here, never
to a name that it would resolve itself.
"""

from __future__ import annotations

import asyncio
import base64
import re
import socket
import ssl

from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.nodes import NodeError
from jackfield.api.plain_http import one_line
from jackfield_nodes.http.transport.connections import resolved
from jackfield_nodes.http.transport.failures import NoConnection, ProxyFailed
from jackfield_nodes.http.transport.guard import AddressGuard, Forbidden

_HEAD_LIMIT = 16 * 1024
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


def checked_proxy(text: str) -> HttpAddress:
    """An `http://` URL with a host. Raises `NodeError`."""
    written = text.strip() if "://" in text else f"http://{text.strip()}"
    try:
        url = HttpAddress.of(written)
    except ValueError:
        raise NodeError("The option proxy is not a URL; write it as http://proxy.example.com:3128.") from None
    if url.scheme != "http" or not url.host:
        raise NodeError("The option proxy must be an http:// URL with a host, such as http://proxy.example.com:3128.")
    return url


class TunnelledSocket(socket.socket):
    """Ends at the target already; whoever connects its sockets has nothing left to do."""

    def connect(self, address: object) -> None:
        """Nothing: the proxy has."""


class TunnelConnector(TCPConnector):
    """Its one connection is the tunnel, whatever it is asked for."""

    def __init__(self, tunnel: TunnelledSocket, tls: ssl.SSLContext) -> None:
        super().__init__(
            resolver=_PeerResolver(tunnel),
            use_dns_cache=False,
            socket_factory=lambda _: tunnel,
            ssl=tls,
            limit=1,
        )


class _PeerResolver(AbstractResolver):
    """The address of the proxy: it goes with the socket's family."""

    def __init__(self, tunnel: TunnelledSocket) -> None:
        self._peer: str = tunnel.getpeername()[0]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [resolved(host, self._peer, port)]

    async def close(self) -> None:
        """Nothing is open."""


async def tunnel_to(
    target: HttpAddress, proxy: HttpAddress, guard: AddressGuard, connect_timeout: float
) -> TunnelledSocket:
    """TLS to the target passes through it. connect_timeout: seconds for one address of the proxy. Raises `ProxyFailed`,
    and for the target `Forbidden` and `NoConnection`."""
    port = target.connected_port or 0
    try:
        address = (await guard.addresses(target.host, port))[0]
    except OSError as exc:
        raise NoConnection(one_line(exc)) from None
    connected = await _connected(proxy, guard, connect_timeout)
    try:
        await _open(connected, f"[{address}]:{port}" if ":" in address else f"{address}:{port}", proxy)
    except BaseException:
        connected.close()
        raise
    return TunnelledSocket(fileno=connected.detach())


async def _connected(proxy: HttpAddress, guard: AddressGuard, connect_timeout: float) -> socket.socket:
    port = proxy.connected_port or 0
    name = proxy.unicode_host
    try:
        addresses = await guard.addresses(proxy.host, port)
    except Forbidden:
        raise ProxyFailed(
            f"the proxy {name} is not on the public internet; nodes.http.allowed_hosts can allow it"
        ) from None
    except OSError as exc:
        raise ProxyFailed(f"no connection to the proxy {name} ({exc})") from None
    failure: OSError = OSError("no address")
    for address in addresses:
        made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            made.setblocking(False)
            async with asyncio.timeout(connect_timeout):
                await asyncio.get_running_loop().sock_connect(made, (address, port))
        except OSError as exc:  # TimeoutError too
            made.close()
            failure = exc
        except BaseException:
            made.close()
            raise
        else:
            return made
    raise ProxyFailed(f"no connection to the proxy {name} ({failure or 'it does not answer'})")


async def _open(connected: socket.socket, target: str, proxy: HttpAddress) -> None:
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if proxy.user:
        user = f"{proxy.username}:{proxy.password}"
        lines.append("Proxy-Authorization: Basic " + base64.b64encode(user.encode()).decode())
    try:
        head = await _answered(connected, "\r\n".join([*lines, "", ""]).encode())
    except OSError as exc:
        raise ProxyFailed(f"the proxy ended the connection ({exc})") from None
    status = _STATUS.match(head)
    if status is None or not status[1].startswith(b"2"):
        raise ProxyFailed(f"the proxy refused with status {status[1].decode() if status else 'unknown'}")


async def _answered(connected: socket.socket, question: bytes) -> bytes:
    """The head of the proxy's answer."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(connected, question)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        # Byte by byte: what follows the head belongs to the target.
        byte = await loop.sock_recv(connected, 1)
        if not byte or len(head) > _HEAD_LIMIT:
            raise ProxyFailed("the proxy gave no proper answer")
        head += byte
    return head
