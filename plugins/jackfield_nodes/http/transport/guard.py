"""Look-ups of the HTTP client: a name's addresses, of which only those remain that may be connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from jackfield.api.addresses import PermittedAddresses

RESOLVERS = 16
"""Names that are looked up at the same time, on their own threads: slow name servers hold up nothing else."""


class Forbidden(Exception):
    """The host has no address that may be connected to."""


class AddressGuard:
    """networks: CIDR ranges; hosts: exact names; both may be reached beside the public internet. longest: seconds for
    one look-up, with its wait for a thread."""

    def __init__(self, networks: Sequence[str] = (), hosts: Sequence[str] = (), longest: float = 10.0) -> None:
        self._longest = longest
        self._resolver = ThreadPoolExecutor(RESOLVERS, "resolver")
        self._permitted = PermittedAddresses(networks, hosts)

    def permits(self, host: str, address: str) -> bool:
        """See `PermittedAddresses.permits`."""
        return self._permitted.permits(host, address)

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to, in the resolver's order, from one look-up. Raises `Forbidden`, OSError."""
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            async with asyncio.timeout(self._longest):  # what waits for a thread leaves the queue then
                rows = await asyncio.get_running_loop().run_in_executor(self._resolver, look_up)
        except TimeoutError:
            raise OSError(
                f"its name was not found within {self._longest:g} seconds (nodes.http.connect_timeout)"
            ) from None
        except UnicodeError as exc:
            raise OSError("the name is not valid") from exc
        permitted = self._permitted.of(host, (str(row[4][0]) for row in rows))
        if not permitted:
            raise Forbidden
        return permitted
