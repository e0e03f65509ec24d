"""Changes that other daemons make to workflows of the same store."""

from __future__ import annotations

import asyncio
import contextlib

from jackfield.api.bus import WORKFLOW_CHANGED, Bus
from jackfield.api.containment import passes
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.shared_workflows import SharedWorkflows
from jackfield.api.storage import Store
from jackfield_workflows.saved.confirming import Confirming
from jackfield_workflows.saved.following import Following
from jackfield_workflows.settings import WorkflowsSettings

PATIENCE = 2.0
"""Seconds that a call waits for a look."""
_MOST_TOLD = 1000
_UNKNOWN = "Changes of other daemons could not be followed; try again."
_SPACING = 0.05
"""Seconds between the beginnings of two looks, at least."""


class WorkflowsOfPeers:
    """`jackfield.api.shared_workflows.PeerChanges`. One look at a time; whoever comes during one waits for the next."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._interval = context.settings(WorkflowsSettings).peer_interval
        self._store = _shared(context.store)
        self._since: int | None = None
        self._next: asyncio.Future[None] | None = None
        self._lock = asyncio.Lock()
        self._began = 0.0
        self._wake = asyncio.Event()
        self._told: set[str] = set()
        """Changes that the bus has told of and that no look has followed yet."""

    @property
    def shared(self) -> bool:
        return self._store is not None

    async def catch_up(self) -> None:
        if self._store is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._looked(), PATIENCE)

    async def _looked(self) -> None:
        """Returns when a look has ended that began after the call. Raises `StoreUnavailable`."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
            self._context.spawn("look at peers", self._look_for(self._next))
        await asyncio.shield(self._next)

    async def run(self) -> None:
        """Look now and then, and whenever the bus tells of a change, until cancelled."""
        confirming = self._context.port(Confirming)
        listening = [asyncio.ensure_future(work) for work in (self._listen(), confirming.listen())]
        try:
            while True:
                self._wake.clear()
                await self._follow_told()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), self._interval)
        finally:
            for task in listening:
                task.cancel()

    async def _follow_told(self) -> None:
        """A daemon that has changed something hears that it is served here, once it is."""
        told, self._told = self._told, set()
        try:
            await self._looked()
        except StoreUnavailable:
            self._told |= told
        else:
            self._context.port(Confirming).confirm(told)

    async def _listen(self) -> None:
        with self._context.port(Bus).subscribe(WORKFLOW_CHANGED) as messages:
            async for message in messages:
                change = message.payload.get("change")
                if isinstance(change, str) and len(self._told) < _MOST_TOLD:
                    self._told.add(change)
                self._wake.set()

    async def _look_for(self, waiting: asyncio.Future[None]) -> None:
        """A look that begins once the current one has ended, for all who wait for this future."""
        try:
            async with self._lock:
                pause = self._began + _SPACING - self._context.clock.monotonic()
                if pause > 0:
                    await self._context.clock.sleep(pause)
                self._next = None
                self._began = self._context.clock.monotonic()
                await self._look()
        except BaseException as exc:
            if not isinstance(exc, StoreUnavailable) and not passes(exc):
                self._context.log.exception("Changes of other daemons could not be followed.")
            told = exc if isinstance(exc, StoreUnavailable) else StoreUnavailable(_UNKNOWN)
            waiting.set_exception(told)
            waiting.exception()  # nobody need wait for it
            if passes(exc):
                raise
        else:
            waiting.set_result(None)

    async def _look(self) -> None:
        """Raises `StoreUnavailable`; then the same is looked at again."""
        if self._store is None:
            return
        found = await self._store.changed_workflows(self._since)
        following = self._context.port(Following)
        for ident in found.ids:
            await following.catch_up(ident)
        self._since = found.revision


def _shared(store: Store) -> SharedWorkflows | None:
    return store if not store.exclusive and isinstance(store, SharedWorkflows) else None
