"""Which servers these nodes may connect to: those on the public internet, and what `integrations.allowed_hosts` adds.

A name is looked up once and the connection goes to an address that was checked, so that a name server that answers
differently the second time, or an odd spelling of an address, leads nowhere else. TLS still verifies the name.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias, TypeVar

from jackfield.api.credentials import ALLOWED_HOSTS
from jackfield.api.http_client import host_allowed, host_key
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import Credential
from jackfield_integrations.settings import IntegrationSettings

Address: TypeAlias = "IPv4Address | IPv6Address"
Network: TypeAlias = "IPv4Network | IPv6Network"
Connection = TypeVar("Connection")

_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in ("100.64.0.0/10", "192.88.99.0/24", "224.0.0.0/3", "::/96", "64:ff9b:1::/48", "5f00::/16", "fec0::/10")
)
"""Beside what the Python version's own tables call special."""
_NAT64 = ip_network("64:ff9b::/96")


def _embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for (mapped, 6to4, NAT64)."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_public(address: Address) -> bool:
    """Whether it is on the public internet."""
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    return address.is_global and not address.is_multicast and not any(address in network for network in _NOT_PUBLIC)


class Targets:
    """Finds and checks the addresses of servers."""

    def __init__(self, settings: IntegrationSettings) -> None:
        self._settings = settings
        self._hosts = frozenset(host_key(text.strip()) for text in settings.allowed_hosts if "/" not in text)
        self._networks: list[Network] = [ip_network(text) for text in settings.allowed_hosts if "/" in text]

    def permits(self, host: str, address: str) -> bool:
        """Whether this address, to which the host leads, may be connected to."""
        if host_key(host) in self._hosts:
            return True
        found = ip_address(address.partition("%")[0])
        inner = _embedded(found)
        return is_public(found) or any(
            candidate in network for candidate in (found, inner) if candidate is not None for network in self._networks
        )

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to, in the resolver's order. Raises `NodeError`."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise NodeError(f"The host {host!r} cannot be found; check its name.") from None
        found = [address for address in dict.fromkeys(str(row[4][0]) for row in rows) if self.permits(host, address)]
        if not found:
            raise NodeError(
                f"{host} is not on the public internet, so that nodes may not connect to it; an administrator can "
                "allow it with integrations.allowed_hosts."
            )
        return found

    async def reach(
        self,
        values: Credential,
        host: str,
        port: int,
        connect: Callable[[str], Awaitable[Connection]],
        failures: Sequence[type[Exception]],
    ) -> Connection:
        """What `connect` gives for the first of the host's addresses that answers. failures: what the library raises
        when it cannot connect or sign in. Raises `NodeError`, without secrets."""
        if not host_allowed(host, values.text(ALLOWED_HOSTS)):
            raise NodeError(
                f"The credential {values.kind} may not be used for {host}; its allowedHosts do not name it."
            )
        caught: tuple[type[Exception], ...] = (OSError, *failures)
        problem: Exception = OSError("no address")
        for address in await self.addresses(host, port):
            try:
                async with asyncio.timeout(self._settings.connect_timeout):
                    return await connect(address)
            except TimeoutError:
                problem = TimeoutError(f"no answer within {self._settings.connect_timeout:g} seconds")
            except caught as exc:
                problem = exc
        raise NodeError(f"No connection to {host}, port {port}: {values.shown(problem)}.")


class _NamedContext(ssl.SSLContext):
    """Verifies the name that was asked for, although the connection goes to an address."""

    server_name = ""

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        return super().wrap_bio(incoming, outgoing, server_side, self.server_name, session)


def _tls(host: str, verify: bool, authorities: str) -> ssl.SSLContext:
    import certifi

    made = _NamedContext(ssl.PROTOCOL_TLS_CLIENT)
    made.server_name = host_key(host)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if not verify:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif authorities:
        made.load_verify_locations(cadata=authorities)
    else:
        made.load_verify_locations(cafile=certifi.where())
        made.load_default_certs()
    return made


async def tls_for(host: str, *, verify: bool = True, authorities: str = "") -> ssl.SSLContext:
    """A TLS client context for this server. authorities: certificates in PEM instead of the usual ones. Raises
    `NodeError`."""
    try:
        return await asyncio.to_thread(_tls, host, verify, authorities)
    except ssl.SSLError:
        raise NodeError("The credential's certificate authorities are not valid PEM certificates.") from None
