"""The owner of a connection: the daemon's own user, another user of this machine, or an address."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Literal

from jackfield.api.limits import canonical_client
from jackfield.api.records import record
from jackfield.api.socket_owners import OVERFLOW_UID, SocketOwners, normalised

CallerKind = Literal["owner", "user", "address", "proxy"]
KINDS: tuple[CallerKind, ...] = ("owner", "user", "address", "proxy")


@record
class AdmittedCaller:
    """key: connections with the same one are counted together."""

    kind: CallerKind
    key: str


_OWNER = AdmittedCaller("owner", "owner")


class Callers:
    """trusted: CIDR ranges of reverse proxies, which speak for many addresses."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted = [ip_network(one) for one in trusted]
        self._owners = SocketOwners()
        self._own = os.geteuid()

    def of(self, connection: socket.socket, remote: tuple[str, int]) -> AdmittedCaller:
        """Of one that was accepted. A user is found on Linux; elsewhere all of this machine are one."""
        try:
            address = normalised(remote[0])
        except ValueError:
            return AdmittedCaller("address", remote[0])
        if not address.is_loopback:
            if any(address in network for network in self._trusted):
                return AdmittedCaller("proxy", f"proxy {address}")
            return AdmittedCaller("address", canonical_client(str(address)))
        if sys.platform != "linux":
            return AdmittedCaller("user", "this machine")
        try:
            found = self._owners.of(remote, connection.getsockname()[:2])
        except OSError:
            found = None
        if found is None or not found[2]:  # it has gone already
            return AdmittedCaller("user", "an unknown user of this machine")
        uid = found[1]
        return _OWNER if uid == self._own and uid != OVERFLOW_UID else AdmittedCaller("user", f"user {uid}")

    def close(self) -> None:
        self._owners.close()
