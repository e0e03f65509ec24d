"""How many connections each worker has, in memory that all of them share, so that those who accept with one socket get
about as many."""

from __future__ import annotations

import mmap
import os
import struct

_SLOT = struct.Struct("Q")  # native: one that is read has been written whole
_NOBODY = (1 << 64) - 1


class Loads:
    """number: of the worker whose place is `own`; 0: of none."""

    def __init__(self, descriptor: int, count: int, number: int = 0) -> None:
        """descriptor: of memory that `of` has made, which stays open; count: of the workers."""
        self.descriptor = descriptor
        self._count = count
        self._own = number - 1
        self._map = mmap.mmap(descriptor, count * _SLOT.size)

    @classmethod
    def of(cls, count: int) -> Loads:
        descriptor = os.memfd_create("jackfield-loads", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, count * _SLOT.size)
        made = cls(descriptor, count)
        for number in range(1, count + 1):
            made.forget(number)
        return made

    def forget(self, number: int) -> None:
        """This worker accepts nothing, until it tells something."""
        _SLOT.pack_into(self._map, (number - 1) * _SLOT.size, _NOBODY)

    def is_ahead(self, connections: int) -> bool:
        """Tells how many this worker has; whether another one has fewer."""
        _SLOT.pack_into(self._map, self._own * _SLOT.size, connections)
        return any(found < connections for (found,) in _SLOT.iter_unpack(self._map[:]))
