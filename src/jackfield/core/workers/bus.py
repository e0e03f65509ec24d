"""The bus between the processes of one daemon, over the lines that they have anyway."""

from __future__ import annotations

import logging
from collections.abc import Callable

from jackfield.api.bus_drivers import MessageBus
from jackfield.api.clock import Clock

log = logging.getLogger("jackfield.bus")


class ProcessBus(MessageBus):
    """`jackfield.api.bus.Bus`. It takes the place of the bus in memory, and has its name."""

    name = "memory"

    def __init__(self, clock: Clock, tell: Callable[[bytes], None]) -> None:
        """tell: brings a message to the other processes, at once."""
        super().__init__(clock, log)
        self._tell = tell

    async def open(self) -> None:
        await super().open()
        self.connected = True

    async def close(self) -> None:
        self.connected = False
        await super().close()

    def send(self, message: bytes) -> None:
        self._tell(message)

    def told(self, message: bytes) -> None:
        """Another process has sent it."""
        if self.connected:
            self.received(b"[" + message + b"]")
