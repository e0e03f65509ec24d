"""A worker's links to the daemon's first process: the other ends of its lines."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence

from jackfield.api.clock import Clock
from jackfield.api.storage import Store

from .bus import ProcessBus
from .channel import Item
from .counting import ProcessCounts
from .loads import Loads
from .store_client import StoreCalls, client_store


class WorkerLink:
    """number: from 1 on. sockets: for the store's verbs, for renewals, and for connections that move."""

    def __init__(self, number: int, sockets: Sequence[socket.socket], loads: Loads) -> None:
        self.number = number
        self.loads = loads
        self._store, self._renewing, self.moving = sockets
        self.asking = StoreCalls(self._told, self._ended)
        self._bus: ProcessBus | None = None
        self.ended: Callable[[], None] = lambda: os._exit(1)
        """Told that the first process is gone: nothing can be kept any more."""

    async def open(self) -> None:
        await self.asking.open(self._store)

    def store(self) -> Store:
        return client_store(self.asking, self._renewing)

    def close(self) -> None:
        self.ended = lambda: None
        self.asking.close()

    def bus(self, clock: Clock) -> ProcessBus:
        self._bus = ProcessBus(clock, lambda message: self.asking.send(("bus", message)))
        return self._bus

    def tell(self, counts: ProcessCounts) -> None:
        self.asking.send(("counts", counts))

    def tell_ready(self) -> None:
        self.asking.send(("ready",))

    def _told(self, item: Item) -> None:
        if item[0] == "bus" and self._bus is not None:
            self._bus.told(item[1])

    def _ended(self) -> None:
        self.ended()
