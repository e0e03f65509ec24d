"""With a bus, a change of a workflow is answered once the other daemons serve the change, or after a quarter of a
second. The next call may meet any of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable

from jackfield.api.bus import Bus
from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id

FOLLOWED = "workflow.followed"
"""Topic: a daemon serves a change of a workflow. Payload: `daemon`, and the id of the `change`; empty: it listens."""
PATIENCE = 0.25
"""Seconds. A daemon that has not confirmed by then is not waited for until it is heard again."""
_MOST = 200
"""Daemons that are known."""


class Confirming:
    """One per daemon, as a part."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._id = new_id()
        self._peers: set[str] = set()
        self._missing: dict[str, set[str]] = {}
        """Change that waits -> the daemons that have not confirmed it. A late word of an earlier change of the same
        workflow is none of this one."""
        self._confirmed = asyncio.Event()

    @property
    def _bus(self) -> Bus:
        return self._context.port(Bus)

    async def listen(self) -> None:
        """Until cancelled."""
        with self._bus.subscribe(FOLLOWED) as messages:
            self.confirm([""])
            async for message in messages:
                daemon, change = message.payload.get("daemon"), message.payload.get("change")
                if isinstance(daemon, str) and isinstance(change, str) and daemon != self._id:
                    self._heard(daemon, change)

    def _heard(self, daemon: str, change: str) -> None:
        if daemon not in self._peers and len(self._peers) < _MOST:
            self._peers.add(daemon)
            self.confirm([""])
        self._missing.get(change, set()).discard(daemon)
        self._confirmed.set()

    def confirm(self, changes: Iterable[str]) -> None:
        """This daemon serves them."""
        for change in changes:
            self._bus.publish(FOLLOWED, {"daemon": self._id, "change": change})

    @contextlib.asynccontextmanager
    async def confirmed(self) -> AsyncIterator[str]:
        """Gives the id of a change: tell of it within. Leaves once everybody who is known has confirmed it, or
        cannot."""
        change = new_id()
        missing = self._missing[change] = set(self._peers)
        try:
            yield change
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._until_empty(missing), PATIENCE)
            self._peers -= missing
        finally:
            del self._missing[change]

    async def _until_empty(self, missing: set[str]) -> None:
        while missing:
            self._confirmed.clear()
            await self._confirmed.wait()
