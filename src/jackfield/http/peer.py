"""Is the TCP peer a process of the daemon's own user? Linux only; elsewhere the answer is no and the token file is
used.

The row of the client's socket must match the full 4-tuple, be ESTABLISHED, have an inode (a closed or TIME_WAIT socket
shows uid 0) and our uid.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from jackfield.api.asgi import Scope

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
NLMSG_ERROR = 2
TCP_ESTABLISHED = 1
NO_COOKIE = b"\xff" * 8
OVERFLOW_UID = 65534
REMEMBERED = 512
"""Connections whose process has been found."""
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI")
_ENDPOINTS = struct.Struct("!HH16s16s")


def normalised(address: str) -> IPv4Address | IPv6Address:
    """IPv4-mapped addresses as IPv4: their row stands in the IPv4 table."""
    found = ip_address(address.split("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def diag_request(local: tuple[str, int], remote: tuple[str, int]) -> bytes:
    """One inet_diag_req_v2 for an exact TCP socket."""
    source, target = normalised(local[0]), normalised(remote[0])
    family = socket.AF_INET if source.version == 4 else socket.AF_INET6
    body = (
        _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << TCP_ESTABLISHED)
        + _ENDPOINTS.pack(local[1], remote[1], source.packed, target.packed)
        + struct.pack("=I", 0)
        + NO_COOKIE
    )
    return _HEADER.pack(_HEADER.size + len(body), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 1, 0) + body


def owner_by_netlink(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
    """(state, uid, inode) of the socket with this local and remote end; None when there is none. Raises OSError."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_SOCK_DIAG) as sock:
        sock.settimeout(0.2)
        sock.sendto(diag_request(local, remote), (0, 0))
        answer = sock.recv(4096)
    _, kind, _, _, _ = _HEADER.unpack_from(answer)
    if kind != SOCK_DIAG_BY_FAMILY or len(answer) < _HEADER.size + 72:
        return None
    state = answer[_HEADER.size + 1]
    uid, inode = struct.unpack_from("=II", answer, _HEADER.size + 64)
    return state, uid, inode


def owner_by_proc(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
    """The same from /proc/net/tcp{,6}: slow with many connections."""
    table = "tcp" if normalised(local[0]).version == 4 else "tcp6"
    wanted = (_hex(local), _hex(remote))
    for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
        fields = line.split()
        if (fields[1], fields[2]) == wanted:
            return int(fields[3], 16), int(fields[7]), int(fields[9])
    return None


def _hex(end: tuple[str, int]) -> str:
    packed = normalised(end[0]).packed
    words = [packed[start : start + 4][::-1] for start in range(0, len(packed), 4)]
    return f"{b''.join(words).hex().upper()}:{end[1]:04X}"


def in_own_namespace(inode: int) -> bool:
    """Whether the socket is found at a process of our user namespace. One that hides its descriptors is not."""
    wanted, own = f"socket:[{inode}]", os.readlink("/proc/self/ns/user")  # noqa: PTH115 - links that name no files
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
        if name.isdecimal() and _holds(name, wanted):
            with suppress(OSError):
                return os.readlink(f"/proc/{name}/ns/user") == own  # noqa: PTH115
    return False


def _holds(pid: str, wanted: str) -> bool:
    directory = f"/proc/{pid}/fd"
    try:
        descriptors = os.listdir(directory)  # noqa: PTH208
    except OSError:
        return False
    for descriptor in descriptors:
        with suppress(OSError):
            if os.readlink(f"{directory}/{descriptor}") == wanted:  # noqa: PTH115
                return True
    return False


class PeerLookup:
    """Asks netlink, else /proc in a thread. confined: whether agents of our user run in sandboxes: these share our uid,
    and are told apart by their user namespace."""

    def __init__(self, confined: Callable[[], bool] = lambda: False) -> None:
        self._confined = confined
        self._trusted: OrderedDict[int, None] = OrderedDict()
        """Inodes of sockets that were found outside. Linux counts them up: one does not come back soon."""

    async def same_user(self, scope: Scope) -> bool:
        """Whether the peer's socket is open and belongs to our effective user, outside of agents' sandboxes."""
        inode = await self._inode(scope)
        return inode is not None and (not self._confined() or await self._is_outside(inode))

    async def same_uid(self, scope: Scope) -> bool:
        """The same, wherever the user's process runs: a browser may have a sandbox of its own."""
        return await self._inode(scope) is not None

    async def _inode(self, scope: Scope) -> int | None:
        client, server = scope.get("client"), scope.get("server")
        if sys.platform != "linux" or not client or not server or not server[1]:
            return None
        ends = ((str(client[0]), int(client[1])), (str(server[0]), int(server[1])))
        try:
            if not normalised(ends[0][0]).is_loopback:
                return None
            found = owner_by_netlink(*ends)
        except ValueError:
            return None
        except OSError:
            found = await asyncio.to_thread(self._by_proc, *ends)
        return found[2] if found is not None and self._ours(*found) else None

    async def _is_outside(self, inode: int) -> bool:
        if inode not in self._trusted:
            try:
                outside = await asyncio.to_thread(in_own_namespace, inode)
            except OSError:  # no descriptor is left to look with
                return False
            if not outside:
                return False
            self._trusted[inode] = None
            if len(self._trusted) > REMEMBERED:
                self._trusted.popitem(last=False)
        return True

    @staticmethod
    def _by_proc(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
        try:
            return owner_by_proc(local, remote)
        except OSError:
            return None

    @staticmethod
    def _ours(state: int, uid: int, inode: int) -> bool:
        return state == TCP_ESTABLISHED and inode != 0 and uid == os.geteuid() and uid != OVERFLOW_UID
