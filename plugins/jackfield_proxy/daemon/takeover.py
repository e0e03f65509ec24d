"""Speaks for a proxy's process that has died: to each of its clients what fits the moment at which that was.

The daemon has a duplicate of every connection, and a byte of common memory that says what it is doing
(`jackfield_proxy.takeover`).
"""

from __future__ import annotations

import asyncio
import mmap
import os
import re
import resource
import socket
from functools import cache
from itertools import islice
from tempfile import TemporaryFile

from jackfield.api.dialects.model import DialectError, DialectName
from jackfield.api.records import replace
from jackfield_proxy import final_answers
from jackfield_proxy.daemon.closing import abort, close_with, hang_up
from jackfield_proxy.takeover import (
    BOUNDARY,
    COMPLETE,
    IDLE,
    SIZE,
    SLOTS,
    WAITING,
    InheritedDescriptors,
    messages,
    state_of,
)

MOST = 8192
"""Duplicates that the daemon holds for all its proxies, however many files it may have open."""
SHARE = 4
"""They take one in that many of those."""
_AT_ONCE = 64
"""Messages that are read before others have their turn."""
_DESCRIPTORS = 16
"""Of one message; it has one."""
_PEEKED = 4096
_CLOEXEC: int = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_REQUEST = re.compile(rb"[A-Z]{3,10} /\S* HTTP/1\.[01]\r\n").match


class DescriptorBudget:
    """How many duplicates there may be, of all proxies."""

    def __init__(self, most: int) -> None:
        self._left = most

    @classmethod
    def of_process(cls) -> DescriptorBudget:
        """A share of what this process may have open."""
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return cls(MOST if soft == resource.RLIM_INFINITY else min(MOST, soft // SHARE))

    def take(self) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        return True

    def give(self) -> None:
        self._left += 1


class ConnectionTakeover:
    """Of one process. `follow` when it has been started; `speak` or `close` in the end."""

    def __init__(self, budget: DescriptorBudget) -> None:
        """Raises OSError: there is no room for descriptors."""
        self._budget = budget
        self._connections: dict[int, int] = {}  # slot: descriptor
        self._control, self._theirs = socket.socketpair()
        try:
            self._file = _shared()
            try:
                self._table = mmap.mmap(self._file, SLOTS)
            except OSError:
                os.close(self._file)
                raise
        except OSError:
            self._control.close()
            self._theirs.close()
            raise
        self._control.setblocking(False)

    def inherited(self, others: InheritedDescriptors) -> InheritedDescriptors:
        """The descriptors that the process gets, with the others."""
        return replace(others, control=self._theirs.fileno(), table=self._file)

    def follow(self) -> None:
        """The process has its own ends."""
        self._theirs.close()
        os.close(self._file)
        self._file = -1
        asyncio.get_running_loop().add_reader(self._control, self._read)

    async def speak(self, error: DialectError) -> None:
        """The process has ended: to clients that wait the error; to those of streams too, as an event; the others'
        connections are closed. Returns when all are."""
        while self._read():
            pass
        left = [(self._table[slot], _socket(descriptor)) for slot, descriptor in self._connections.items()]
        self._connections.clear()
        self.close()
        words = _Words(error)
        try:
            await asyncio.gather(*(_part(byte, connection, words) for byte, connection in left))
        finally:
            for _, connection in left:
                connection.close()
                self._budget.give()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._theirs.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        for slot in list(self._connections):
            self._drop(slot)
        self._table.close()

    # -- what the process says

    def _read(self) -> bool:
        """Whether there may be more."""
        for _ in range(_AT_ONCE):
            try:
                data, descriptors, _, _ = socket.recv_fds(self._control, 1024 * SIZE, _DESCRIPTORS, _CLOEXEC)
            except BlockingIOError:
                return False
            except OSError:
                data, descriptors = b"", []
            if not data:
                asyncio.get_running_loop().remove_reader(self._control)
                return False
            self._take(messages(data), descriptors)
        return True

    def _take(self, said: list[tuple[bool, int]], descriptors: list[int]) -> None:
        """A descriptor that the system had no room for is missing; then nobody knows whose it is."""
        if not _CLOEXEC:
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
        if sum(taken for taken, _ in said) != len(descriptors):
            for descriptor in descriptors:
                os.close(descriptor)
            descriptors = []
        waiting = iter(descriptors)
        for taken, slot in said:
            self._drop(slot)
            if taken:
                for descriptor in islice(waiting, 1):
                    self._keep(slot, descriptor)

    def _keep(self, slot: int, descriptor: int) -> None:
        if slot < SLOTS and self._budget.take():
            self._connections[slot] = descriptor
        else:
            os.close(descriptor)

    def _drop(self, slot: int) -> None:
        descriptor = self._connections.pop(slot, None)
        if descriptor is not None:
            self._budget.give()
            os.close(descriptor)


class _Words:
    """Made once for all clients of a dialect."""

    def __init__(self, error: DialectError) -> None:
        self._error = error
        self.answer = cache(self._answer)
        self.ending = cache(self._ending)

    def _answer(self, dialect: DialectName) -> bytes:
        return final_answers.answer(dialect, self._error)

    def _ending(self, dialect: DialectName) -> bytes:
        return final_answers.ending(dialect, self._error)


async def _part(byte: int, connection: socket.socket, words: _Words) -> None:
    state, dialect = state_of(byte)
    if state == WAITING:
        await close_with(connection, words.answer(dialect))
    elif state == BOUNDARY:
        await close_with(connection, words.ending(dialect))
    elif state == COMPLETE:
        await close_with(connection, final_answers.LAST_CHUNK)
    elif state != IDLE:
        abort(connection)
    elif start := _unread(connection):
        await close_with(connection, words.answer(final_answers.asked(start)[1]))
    else:
        hang_up(connection)


def _unread(connection: socket.socket) -> bytes:
    """The beginning of a request that has come and that the process has not read; empty: none has."""
    try:
        found = connection.recv(_PEEKED, socket.MSG_PEEK)
    except OSError:
        return b""
    return found if _REQUEST(found) else b""


def _socket(descriptor: int) -> socket.socket:
    """Does not block; the process has it so too, but a loop in debug mode asks the object."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
    made.setblocking(False)
    return made


def _shared() -> int:
    """A descriptor of memory that two processes can share."""
    if hasattr(os, "memfd_create"):
        made = os.memfd_create("jackfield-proxy", os.MFD_CLOEXEC)
    else:
        with TemporaryFile() as file:
            made = os.dup(file.fileno())
    try:
        os.ftruncate(made, SLOTS)
    except OSError:
        os.close(made)
        raise
    return made
