"""The bus in memory: between daemons of one process, which only tests have. Its own daemon has nobody to tell."""

from __future__ import annotations

import logging

from jackfield.api.bus_drivers import MessageBus
from jackfield.api.clock import Clock

log = logging.getLogger("jackfield.bus")


class MemoryHub:
    """The state that the buses of one process share."""

    def __init__(self) -> None:
        self.buses: set[MemoryBus] = set()


class MemoryBus(MessageBus):
    """`jackfield.api.bus.Bus`"""

    name = "memory"

    def __init__(self, clock: Clock, hub: MemoryHub | None = None) -> None:
        super().__init__(clock, log)
        self._hub = hub or MemoryHub()

    async def open(self) -> None:
        await super().open()
        self._hub.buses.add(self)
        self.connected = True

    async def close(self) -> None:
        self._hub.buses.discard(self)
        self.connected = False
        await super().close()

    def send(self, message: bytes) -> None:
        for bus in self._hub.buses:
            if bus is not self:
                bus.received(b"[" + message + b"]")
