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

from .own_sockets import holders, is_of_daemons

REMEMBERED = 512
"""Connections whose process has been found."""

Ends = tuple[tuple[str, int], tuple[str, int]]
"""The peer's end of a connection, and ours."""


def in_own_namespace(inode: int) -> bool:
    """Whether the socket is found at a process of our user namespace. One that hides its descriptors is not."""
    own = os.readlink("/proc/self/ns/user")  # noqa: PTH115 - a link that names no file
    for pid in holders(inode):
        with suppress(OSError):
            return os.readlink(f"/proc/{pid}/ns/user") == own  # noqa: PTH115
    return False


class Findings:
    """Results of a look through /proc for sockets, by their inodes. Linux counts these up: one does not come back
    soon."""

    def __init__(self, look: Callable[[int], bool]) -> None:
        self._look = look
        self._found: OrderedDict[int, None] = OrderedDict()

    def knows(self, inode: int) -> bool:
        return inode in self._found

    async def of(self, inode: int) -> bool:
        """Remembers True alone."""
        if self.knows(inode):
            return True
        try:
            if not await asyncio.to_thread(self._look, inode):
                return False
        except OSError:  # no descriptor is left to look with
            return False
        self._found[inode] = None
        if len(self._found) > REMEMBERED:
            self._found.popitem(last=False)
        return True


class PeerLookup:
    """Asks netlink, else /proc in a thread. Sockets of a daemon and of what it has started are nobody's: nodes of
    workflows call with these.

    `confined`: whether agents of our user run in sandboxes. These share our uid, and their user namespace tells them
    apart. `first`: the pid of the daemon's first process, where this is a worker.
    """

    def __init__(self, confined: Callable[[], bool] = lambda: False, first: int | None = None) -> None:
        self._confined = confined
        first = first or os.getpid()
        self._outside = Findings(in_own_namespace)
        self._foreign = Findings(lambda inode: not is_of_daemons(inode, first))

    async def same_user(self, scope: Scope) -> bool:
        """Whether the peer's socket is open and belongs to our effective user, outside of agents' sandboxes."""
        inode = await self._inode(scope)
        return inode is not None and (not self._confined() or await self._outside.of(inode))

    async def same_uid(self, scope: Scope) -> bool:
        """The same, wherever the user's process runs: a browser may have its own sandbox."""
        return await self._inode(scope) is not None

    async def _inode(self, scope: Scope) -> int | None:
        ends = _ends(scope)
        inode = await self._owned(ends) if ends is not None else None
        if ends is None or inode is None or self._foreign.knows(inode):
            return inode
        if not await self._foreign.of(inode):
            return None
        # Again: a socket that was closed meanwhile was not found at the daemon either.
        return inode if await self._owned(ends) == inode else None

    async def _owned(self, ends: Ends) -> int | None:
        """The inode of our user's open socket."""
        try:
            found = owner_by_netlink(*ends)
        except ValueError:
            return None
        except OSError:
            found = await asyncio.to_thread(self._by_proc, *ends)
        return found[2] if found is not None and self._ours(*found) else None

    @staticmethod
    def _by_proc(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
        try:
            return owner_by_proc(local, remote)
        except OSError:
            return None

    @staticmethod
    def _ours(state: int, uid: int, inode: int) -> bool:
        return state == TCP_ESTABLISHED and inode != 0 and uid == os.geteuid() and uid != OVERFLOW_UID


def _ends(scope: Scope) -> Ends | None:
    """None: no process of this machine, or nobody can look."""
    client, server = scope.get("client"), scope.get("server")
    if sys.platform != "linux" or not client or not server or not server[1]:
        return None
    with suppress(ValueError):
        if normalised(str(client[0])).is_loopback:
            return (str(client[0]), int(client[1])), (str(server[0]), int(server[1]))
    return None
