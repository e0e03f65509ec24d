"""Every live node that listens: whether its connection is open, how it went, and when it is opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from weakref import WeakValueDictionary

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.registered import registered
from jackfield_triggers.kinds import LISTEN
from jackfield_triggers.listening.one_connection import OneConnection, connection_of, node_of, run_of
from jackfield_triggers.live_nodes import LiveNode, live_node
from jackfield_triggers.outages import Outages
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.static_memory import of_node, remembered
from jackfield_triggers.store_waits import answered
from jackfield_triggers.timers import backoff_ms, jitter_of

_SOON_MS = 1_000
"""Until a connection is opened again that had been well for as long as `triggers.backoff`."""
_LEAVE_TRIES = 20
"""Of taking away what a service keeps for a node that has gone; some four hours."""


@state
class Listener:
    """id: of the registration. wanted: as the connection was opened last. leaving: what it was before, to leave first.
    Moments are Unix ms."""

    id: str
    workflow_id: str
    node_name: str
    leaving: tuple[LiveNode, ...] = ()
    wanted: LiveNode | None = None
    task: asyncio.Task[None] | None = None
    connected: int | None = None
    next: int | None = None
    event: int | None = None
    failures: int = 0
    error: str = ""
    failed: int | None = None
    outage: bool | None = None
    """Whether the error workflow has heard of one; None: that is not known yet."""
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the first connection is open, has failed, or nothing is wanted."""


@record
class ListenStanding:
    """The state of a node, for the API. connected: since when; None: it is not. next: when it is opened again."""

    id: str
    connected: int | None
    next: int | None
    error: str
    failed: int | None


class Listeners:
    """Of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(TriggerSettings)
        self._outages = Outages(context)
        self._live: dict[str, Listener] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By workflow, as the end of a connection may take its time."""
        self._opening = asyncio.Semaphore(self._settings.listen_concurrency)
        self._leads = False

    async def run(self) -> None:
        """Hold the connections, until cancelled."""
        self._leads = True
        try:
            await self._insist(None)
            await asyncio.Event().wait()
        finally:
            self._leads = False
            await self._close(list(self._live.values()))
            self._live.clear()

    def standings(self, workflow_id: str) -> Sequence[ListenStanding]:
        return [
            ListenStanding(one.id, one.connected, one.next, one.error, one.failed)
            for one in self._live.values()
            if one.workflow_id == workflow_id
        ]

    def failures_of(self, workflow_id: str) -> Mapping[str, str]:
        """Node -> why it is not connected."""
        return {one.node_name: one.error for one in self._live.values() if one.workflow_id == workflow_id and one.error}

    async def follow(self, workflow_id: str) -> None:
        """Serve the nodes that the store now has for a workflow.

        Waits a moment for new connections, so that the caller that has made the change soon learns their state.
        """
        if not self._leads:
            return
        try:
            made = await self._refresh(workflow_id)
        except StoreUnavailable:
            self._context.log.error("A change of listeners waits for the store.", extra={"workflowId": workflow_id})
            self._context.spawn(f"listeners of {workflow_id}", self._insist(workflow_id))
            return
        if made:
            waits = [asyncio.ensure_future(one.settled.wait()) for one in made]
            await asyncio.wait(waits, timeout=self._settings.subscribe_wait)
            for wait in waits:
                wait.cancel()

    # -- what the store holds

    async def _insist(self, workflow_id: str | None) -> None:
        work = self._load if workflow_id is None else partial(self._refresh, workflow_id)
        await answered(self._context.clock, work)

    async def _load(self) -> None:
        for workflow_id in dict.fromkeys(
            row.workflow_id for row in await registered(self._context.store, LISTEN, None, active=True)
        ):
            await self._refresh(workflow_id)

    async def _refresh(self, workflow_id: str) -> list[Listener]:
        """Those that begin something. A connection to close is closed when this returns."""
        lock = self._locks.setdefault(workflow_id, asyncio.Lock())
        async with lock:  # of two changes the one that reads last is the one that stays
            rows = {row.id: row for row in await registered(self._context.store, LISTEN, workflow_id, active=True)}
            mine = [one for one in self._live.values() if one.workflow_id == workflow_id]
            gone = [one for one in mine if one.id not in rows or await self._is_other(one)]
            await self._close(gone)
            made = [
                Listener(one.id, workflow_id, one.node_name, _left_by(one))
                for one in gone
                if self._live.pop(one.id, None)
            ]
            known = self._live.keys() | {one.id for one in made}
            made += [Listener(row.id, workflow_id, row.node_name) for row in rows.values() if row.id not in known]
            for one in made if self._leads else ():
                self._live[one.id] = one
                one.task = asyncio.get_running_loop().create_task(self._kept_open(one), name=f"listener {one.id}")
            return made

    async def _is_other(self, one: Listener) -> bool:
        """Whether the node wants another connection than the one that is there."""
        try:
            wanted = await live_node(self._context, one.id)
        except NodeError:
            return True
        return wanted is None or one.wanted is None or connection_of(wanted) != connection_of(one.wanted)

    # -- the connections

    async def _close(self, ones: Sequence[Listener]) -> None:
        tasks = [one.task for one in ones if one.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _kept_open(self, one: Listener) -> None:
        try:
            while (wait := await self._once(one)) is not None:
                one.next = self._context.clock.now_ms() + wait
                await self._context.clock.sleep(wait / 1000)
                one.next = None
        finally:
            one.settled.set()
        if self._live.get(one.id) is one:
            del self._live[one.id]

    async def _once(self, one: Listener) -> int | None:
        """One connection from its opening to its end; gives the ms until the next one, None: nobody wants it."""
        try:
            wanted = await live_node(self._context, one.id)
            await self._leave(one, wanted is not None)
            if wanted is None:
                return None
            one.wanted, one.node_name = wanted, wanted.node.name
            connection = OneConnection(self._context, self._settings, wanted)
            await connection.served(self._opening, lambda event: self._told(one, event))
            return await self._failed(one, "The service has ended the connection.")
        except NotFound:
            return None
        except (NodeError, JackfieldError) as exc:
            return await self._failed(one, exc.message, exc.retry_after if isinstance(exc, ServiceRefusal) else None)
        except TimeoutError:
            return await self._failed(
                one, f"The service did not answer within {self._settings.subscribe_timeout:g} seconds."
            )
        except Exception as exc:
            about = {"workflowId": one.workflow_id, "node": one.node_name}
            self._context.log.exception("A listener failed.", extra=about)
            return await self._failed(one, f"The node failed ({type(exc).__name__}); the log says how.")
        finally:
            one.connected = None
            one.settled.set()

    async def _leave(self, one: Listener, goes_on: bool) -> None:
        """The service's entries for the earlier state of the node are taken away.

        `goes_on`: something else is wanted, which does not wait for a service that refuses this. Raises `NodeError`,
        `JackfieldError`, TimeoutError.
        """
        while one.leaving:
            old = one.leaving[0]
            own = (await remembered(self._context, old.workflow_id, of_node(old.node.name))).own
            try:
                async with asyncio.timeout(self._settings.subscribe_timeout):
                    run = run_of(self._context, self._settings, old, own)
                    await node_of(self._context, old.node).leave(run)
            except (NodeError, JackfieldError, TimeoutError) as exc:
                if not goes_on and one.failures < _LEAVE_TRIES:
                    raise
                about = {"workflowId": one.workflow_id, "node": one.node_name}
                self._context.log.error("The service keeps what a trigger has left: %s", exc, extra=about)
            one.leaving = one.leaving[1:]

    async def _told(self, one: Listener, event: int | None) -> None:
        if event is not None:
            one.event = event
            return
        one.connected = self._context.clock.now_ms()
        one.error, one.failed = "", None
        one.settled.set()
        if one.outage is not False and await self._outages.over(one.workflow_id, one.node_name):
            one.outage = False

    async def _failed(self, one: Listener, message: str, asked: float | None = None) -> int:
        """ms until it is opened again."""
        now = self._context.clock.now_ms()
        first = self._settings.backoff
        lasted = one.connected is not None and now - one.connected >= first * 1000
        one.failures = 0 if lasted else one.failures + 1
        about = {"workflowId": one.workflow_id, "node": one.node_name}
        self._context.log.warning("A listener lost its connection: %s", message, extra=about)
        one.error, one.failed = self._context.secrets.hide(message), now
        if not one.outage and not one.leaving:
            one.outage = await self._outages.failed(one.workflow_id, one.node_name, one.error, one.failures) or None
        if lasted and asked is None:
            return _SOON_MS + jitter_of(one.id, _SOON_MS)
        wait = backoff_ms(max(one.failures, 1), first, self._settings.backoff_most, asked)
        return wait + jitter_of(one.id, wait // 5)


def _left_by(one: Listener) -> tuple[LiveNode, ...]:
    return one.leaving if one.wanted is None else (*one.leaving, one.wanted)
