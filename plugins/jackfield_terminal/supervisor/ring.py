"""The last output of a session, in memory that the supervisor writes and the daemon reads.

The supervisor alone reads the terminal, and all its output is in the ring. So nothing is lost or repeated whenever a
daemon ends. Offsets go over the socket, never through the memory: the system call orders them after the bytes.

The daemon and the supervisor use this module; it imports what is light.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os

from jackfield_terminal.output.modes import ForgottenOutput

READ = 4096
"""Bytes asked for at once: what a Linux terminal gives."""
PIECE = 64 * 1024
"""Bytes that are forgotten at once."""
WINDOW = 256 * 1024
"""Bytes that a daemon may not have taken yet, before the agent has to wait for it."""
LAST = 128 * 1024
"""Bytes beyond it for what an agent has printed last: more than a terminal holds."""
BEYOND = 3 * PIECE
"""Bytes that the last two looks at the terminal may take beyond that: each ends after a limit, not before."""
_GROWN = mmap.PAGESIZE


class Ring:
    """The supervisor's side: the last `capacity` bytes, whatever else there is room for, and the state at their
    start."""

    def __init__(self, capacity: int) -> None:
        """Raises `OSError`."""
        room = capacity + WINDOW + LAST + BEYOND + PIECE + READ
        self.size = -(-room // _GROWN) * _GROWN
        self.descriptor = os.memfd_create("jackfield-terminal", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, self.size)
        # A daemon that maps it must not be killed by somebody who makes it smaller.
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        self.start = 0
        self.end = 0
        self._view = memoryview(mmap.mmap(self.descriptor, self.size))
        self._forgotten = ForgottenOutput()

    def read_from(self, master: int) -> int:
        """Read once; the number of bytes, 0 when nobody has the terminal any more. Raises `BlockingIOError`."""
        while self.end + READ - self.start > self.size:
            self._forget()
        at = self.end % self.size
        try:
            count = os.readv(master, (self._view[at : at + READ],))
        except OSError as exc:
            if exc.errno != errno.EIO:
                raise
            return 0
        self.end += count
        return count

    def _forget(self) -> None:
        at = self.start % self.size
        piece = bytes(self._view[at : at + PIECE])
        self._forgotten.feed(piece)
        self.start += len(piece)

    @property
    def before(self) -> bytes:
        """The bytes that bring a fresh `ForgottenOutput` into the state at the start."""
        return self._forgotten.restoring()


class RingReader:
    """The daemon's side."""

    def __init__(self, descriptor: int, size: int) -> None:
        """Takes the descriptor. Raises `OSError` when it is no ring of this size."""
        try:
            seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
            if not seals & fcntl.F_SEAL_SHRINK or os.fstat(descriptor).st_size != size or size <= 0:
                raise OSError(errno.EINVAL, "it is no ring")
            self._map = mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
        finally:
            os.close(descriptor)
        self.size = size

    def read(self, offset: int, end: int) -> bytes:
        """The bytes between two offsets, which the supervisor keeps."""
        at = offset % self.size
        count = end - offset
        first = self._map[at : at + count]
        return first if len(first) == count else first + self._map[: count - len(first)]

    def close(self) -> None:
        self._map.close()
