"""Which servers these nodes may connect to: those on the public internet, and what `integrations.allowed_hosts` adds.

A name is looked up once and the connection goes to an address that was checked. So a name server that answers
differently the second time, or an odd spelling of an address, leads nowhere else. TLS still verifies the name.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import certifi

from jackfield.api.addresses import PermittedAddresses
from jackfield.api.credentials import ALLOWED_HOSTS
from jackfield.api.http_client import host_allowed, host_key
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings

Connection = TypeVar("Connection")


class Targets:
    """Finds and checks the addresses of servers."""

    def __init__(self, settings: IntegrationSettings) -> None:
        self._settings = settings
        allowed = [text.strip() for text in settings.allowed_hosts]
        self._permitted = PermittedAddresses(
            (text for text in allowed if "/" in text), (text for text in allowed if "/" not in text)
        )

    def permits(self, host: str, address: str) -> bool:
        """See `PermittedAddresses.permits`."""
        return self._permitted.permits(host, address)

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to, in the resolver's order. Raises `NodeError`."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise NodeError(f"The host {host!r} cannot be found; check its name.") from None
        found = self._permitted.of(host, (str(row[4][0]) for row in rows))
        if not found:
            raise NodeUnavailable(
                f"{host} is not on the public internet, so that nodes may not connect to it; an administrator can "
                "allow it with integrations.allowed_hosts."
            )
        return found

    async def checked(self, values: DriverCredential, host: str, port: int) -> list[str]:
        """As `addresses`, for a server to which this credential may be sent. Raises `NodeError`."""
        if not host_allowed(host, values.text(ALLOWED_HOSTS)):
            raise NodeUnavailable(
                f"The credential {values.kind} may not be used for {host}; its allowedHosts do not name it."
            )
        return await self.addresses(host, port)

    async def reach(
        self,
        values: DriverCredential,
        host: str,
        port: int,
        connect: Callable[[str], Awaitable[Connection]],
        failures: Sequence[type[Exception]],
    ) -> Connection:
        """The result of `connect` for the first of the host's addresses that answers. `failures`: what the library
        raises when it cannot connect or sign in. Raises `NodeError`, without secrets."""
        caught: tuple[type[Exception], ...] = (OSError, *failures)
        problem: Exception = OSError("no address")
        for address in await self.checked(values, host, port):
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

    def wrap_socket(
        self,
        sock: socket.socket,
        server_side: bool = False,
        do_handshake_on_connect: bool = True,
        suppress_ragged_eofs: bool = True,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLSocket:
        return super().wrap_socket(
            sock, server_side, do_handshake_on_connect, suppress_ragged_eofs, self.server_name, session
        )


def _tls(host: str, verify: bool, authorities: str) -> ssl.SSLContext:
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
