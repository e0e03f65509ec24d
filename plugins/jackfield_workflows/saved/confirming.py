"""With a bus, who changes a workflow is answered once the other daemons serve the change, or after a quarter of a
second: the next call may meet any of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from jackfield.api.bus import Bus
from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id

FOLLOWED = "workflow.followed"
"""Topic: a daemon serves what was told of a workflow. Payload: `daemon`, and the workflow's `id`; empty: it listens."""
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
        self._missing: dict[str, list[set[str]]] = {}
        """Workflow -> for each change that waits, the daemons that have not confirmed it."""
        self._confirmed = asyncio.Event()

    @property
    def _bus(self) -> Bus:
        return self._context.port(Bus)

    async def listen(self) -> None:
        """Until cancelled."""
        with self._bus.subscribe(FOLLOWED) as messages:
            self.confirm([""])
            async for message in messages:
                daemon, ident = message.payload.get("daemon"), message.payload.get("id")
                if isinstance(daemon, str) and isinstance(ident, str) and daemon != self._id:
                    self._heard(daemon, ident)

    def _heard(self, daemon: str, workflow_id: str) -> None:
        if daemon not in self._peers and len(self._peers) < _MOST:
            self._peers.add(daemon)
            self.confirm([""])
        for missing in self._missing.get(workflow_id, ()):
            missing.discard(daemon)
        self._confirmed.set()

    def confirm(self, workflow_ids: Sequence[str]) -> None:
        """This daemon serves what was told of them."""
        for ident in workflow_ids:
            self._bus.publish(FOLLOWED, {"daemon": self._id, "id": ident})

    @contextlib.asynccontextmanager
    async def confirmed(self, workflow_id: str) -> AsyncIterator[None]:
        """Tell of the change within; leaves once everybody who is known has confirmed it, or cannot."""
        missing = set(self._peers)
        waiting = self._missing.setdefault(workflow_id, [])
        waiting.append(missing)
        try:
            yield
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._until_empty(missing), PATIENCE)
            self._peers -= missing
        finally:
            waiting.remove(missing)
            if not waiting:
                self._missing.pop(workflow_id, None)

    async def _until_empty(self, missing: set[str]) -> None:
        while missing:
            self._confirmed.clear()
            await self._confirmed.wait()
