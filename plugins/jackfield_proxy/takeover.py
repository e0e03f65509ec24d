"""The connections of a proxy's process, as it shares them with the daemon, so that the daemon can speak for a process
that dies. They share one byte of common memory for each connection, which the process alone writes. Messages hand the
daemon a duplicate of the connection.

A byte is written before what it speaks of, or after: it never says more of the client's side than is true. `MIDDLE`
comes before the first byte of an answer, `BOUNDARY` after the last byte of an event has gone to the kernel.
"""

from __future__ import annotations

import struct

from jackfield.api.dialects.model import DialectName
from jackfield.api.records import record

SLOTS = 1024
"""Connections of one process that the daemon knows; further ones have nobody who speaks for them."""
IDLE, WAITING, BOUNDARY, COMPLETE, MIDDLE = range(5)
"""No request.

A request and nothing of its answer. An event stream between two events, all of it with the kernel. The same after its
last event. Anything else.
"""
_DIALECTS: tuple[DialectName, ...] = ("anthropic", "chat", "responses", "gemini")
CODES: dict[DialectName, int] = {name: number << 3 for number, name in enumerate(_DIALECTS)}
"""Added to a state: how the client wants to be spoken to."""
_MESSAGE = struct.Struct("!?H")
SIZE = _MESSAGE.size
"""Bytes of a message."""


def state_of(byte: int) -> tuple[int, DialectName]:
    return min(byte & 7, MIDDLE), _DIALECTS[min(byte >> 3, len(_DIALECTS) - 1)]


def taken(slot: int) -> bytes:
    """The duplicate that comes with this message is the connection of the slot from now on."""
    return _MESSAGE.pack(True, slot)


def left(slot: int) -> bytes:
    """The connection has ended."""
    return _MESSAGE.pack(False, slot)


def messages(data: bytes) -> list[tuple[bool, int]]:
    """(taken, slot) of each. Half a message is none: they are written and read whole."""
    return list(_MESSAGE.iter_unpack(data[: len(data) - len(data) % SIZE]))


@record
class InheritedDescriptors:
    """Descriptors that the daemon hands to the process, -1 for none.

    `listener`: where it accepts. `control`: its end of the pair for messages, and `table`: the common memory; both or
    neither.
    """

    listener: int = -1
    control: int = -1
    table: int = -1

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(one for one in (self.listener, self.control, self.table) if one >= 0)

    def arguments(self) -> list[str]:
        return [str(one) for one in (self.listener, self.control, self.table)]

    @classmethod
    def of(cls, arguments: list[str]) -> InheritedDescriptors:
        """Raises ValueError."""
        return cls(*map(int, arguments))
