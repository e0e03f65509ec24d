"""The process's side of the daemon's knowledge of its connections (`jackfield_proxy.takeover`). It has a byte of common
memory and a duplicate of each, so that the daemon can speak for a process that has died.

Nothing here waits for anybody: a change that cannot be passed on at once leaves a connection for which nobody speaks.
"""

from __future__ import annotations

import asyncio
import contextlib
import mmap
import os
import socket
from collections import deque
from typing import TYPE_CHECKING, Protocol

from jackfield_proxy.child.process.log import say
from jackfield_proxy.takeover import CODES, IDLE, InheritedDescriptors, left, taken

if TYPE_CHECKING:
    from jackfield.api.dialects.model import DialectName


class _Table(Protocol):
    def __setitem__(self, place: int, value: int, /) -> None: ...
    def __len__(self) -> int: ...


class _Connection(Protocol):
    """A socket, or what asyncio shows of one."""

    def fileno(self) -> int: ...
    def shutdown(self, how: int) -> None: ...


class ConnectionSlot:
    """One connection's byte. number: None when nobody reads it."""

    __slots__ = ("_code", "_place", "_table", "dialect", "number")

    def __init__(self, table: _Table, number: int | None) -> None:
        self.number = number
        self._table = table
        self._place = number or 0
        self.dialect: DialectName = "chat"
        self._code = CODES[self.dialect]
        table[self._place] = IDLE

    def speaks(self, dialect: DialectName) -> None:
        """How the client of the request that begins wants to be spoken to."""
        self.dialect = dialect
        self._code = CODES[dialect]

    def put(self, state: int) -> None:
        self._table[self._place] = state | self._code


class TakeoverLink:
    """Without a table nobody learns anything."""

    def __init__(self, control: socket.socket | None = None, table: _Table | None = None) -> None:
        self._control = control
        self._table: _Table = table if table is not None else bytearray(1)
        self._free = deque(range(len(self._table)) if control is not None else ())
        self._untold: deque[int] = deque()  # slots whose end the daemon does not know yet

    @classmethod
    def of(cls, inherited: InheritedDescriptors) -> TakeoverLink:
        """The link over the descriptors that were handed over."""
        if inherited.control < 0:
            return cls()
        control = socket.socket(fileno=inherited.control)
        control.setblocking(False)
        os.set_inheritable(inherited.control, False)
        try:
            table = mmap.mmap(inherited.table, 0)
        except (OSError, ValueError) as exc:
            say(f"the daemon cannot speak for this process: {exc}")
            control.close()
            return cls()
        finally:
            os.close(inherited.table)
        return cls(control, table)

    def enter(self, connection: _Connection | None) -> ConnectionSlot:
        """The byte of a connection that begins."""
        if connection is None or not self._free or self._untold:
            return ConnectionSlot(bytearray(1), None)
        slot = ConnectionSlot(self._table, self._free.popleft())
        if self._tell(taken(slot.number or 0), connection.fileno()):
            return slot
        self._free.append(slot.number or 0)
        return ConnectionSlot(bytearray(1), None)

    def leave(self, slot: ConnectionSlot, connection: _Connection | None) -> None:
        """The connection has ended. That this process closes it ends it for nobody while the daemon has it too."""
        if slot.number is None:
            return
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._untold.append(slot.number)
        if len(self._untold) == 1 and not self._flushed() and self._control is not None:
            asyncio.get_running_loop().add_writer(self._control, self._flushed)

    def _flushed(self) -> bool:
        """A slot is free again when the daemon knows the end: messages arrive in the order in which they are sent."""
        while self._untold:
            if not self._tell(left(self._untold[0])):
                return False
            self._free.append(self._untold.popleft())
        if self._control is not None:
            asyncio.get_running_loop().remove_writer(self._control)
        return True

    def _tell(self, message: bytes, *descriptors: int) -> bool:
        if self._control is None:
            return False
        try:
            socket.send_fds(self._control, [message], descriptors) if descriptors else self._control.send(message)
        except BlockingIOError:
            return False
        except OSError:  # nobody listens any more, for good
            with contextlib.suppress(RuntimeError):
                asyncio.get_running_loop().remove_writer(self._control)
            self._control.close()
            self._control, self._free = None, deque()
            self._untold.clear()
            return False
        return True
