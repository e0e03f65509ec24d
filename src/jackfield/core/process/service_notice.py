"""The daemon tells the service manager that it is ready, and from then on that its event loop goes on.

Source: sd_notify(3), sd_watchdog_enabled(3).
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping

from jackfield.api.clock import Clock

_SHARE = 0.5
"""Of the time within which the manager wants to hear."""


class ServiceNotice:
    """environment: with `NOTIFY_SOCKET` where a manager listens, and `WATCHDOG_USEC` where it wants to hear again."""

    def __init__(self, environment: Mapping[str, str], clock: Clock) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + name[1:] if name.startswith("@") else name
        wanted = environment.get("WATCHDOG_USEC", "")
        self._interval = int(wanted) / 1_000_000 * _SHARE if wanted.isdecimal() else 0.0
        self._clock = clock

    @property
    def wanted(self) -> bool:
        return bool(self._address)

    async def run(self) -> None:
        """Tell that the daemon is ready, and where it is wanted that it still is."""
        self._tell("READY=1")
        while self._interval > 0:
            await self._clock.sleep(self._interval)
            self._tell("WATCHDOG=1")

    def _tell(self, state: str) -> None:
        # A manager that is gone or busy is no reason to fail, nor to wait.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(state.encode(), self._address)
