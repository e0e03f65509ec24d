"""Is the TCP peer a process of the daemon's own user? Linux only; elsewhere the answer is no and the token file is
used.

The row of the client's socket must match the full 4-tuple, be ESTABLISHED, and have our uid and an inode. A closed or
TIME_WAIT socket shows uid 0.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from jackfield.api.asgi import Scope
from jackfield.api.socket_owners import (
    OVERFLOW_UID,
    TCP_ESTABLISHED,
    normalised,
    owner_by_netlink,
    owner_by_proc,
)

REMEMBERED = 512
"""Connections whose process has been found."""


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
    """Asks netlink, else /proc in a thread.

    `confined`: whether agents of our user run in sandboxes. These share our uid, and their user namespace tells them
    apart.
    """

    def __init__(self, confined: Callable[[], bool] = lambda: False) -> None:
        self._confined = confined
        self._trusted: OrderedDict[int, None] = OrderedDict()
        """Inodes of sockets that were found outside. Linux counts them up: one does not come back soon."""

    async def same_user(self, scope: Scope) -> bool:
        """Whether the peer's socket is open and belongs to our effective user, outside of agents' sandboxes."""
        inode = await self._inode(scope)
        return inode is not None and (not self._confined() or await self._is_outside(inode))

    async def same_uid(self, scope: Scope) -> bool:
        """The same, wherever the user's process runs: a browser may have its own sandbox."""
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
