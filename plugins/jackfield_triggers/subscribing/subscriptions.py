"""Every subscription that is wanted or was made: brought together, step by step, until they agree."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.registered import registered
from jackfield_triggers.addresses import event_url, ident_of
from jackfield_triggers.kinds import SUBSCRIBE
from jackfield_triggers.live_nodes import live_node
from jackfield_triggers.outages import Outages
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.store_waits import answered
from jackfield_triggers.subscribing.records import SubscriptionRecord, SubscriptionRecords
from jackfield_triggers.subscribing.steps import SubscriptionSteps, Wanted
from jackfield_triggers.timers import KeyedTimers, backoff_ms, jitter_of

_SLOTS = 10
_TRIES = 3
"""To end a subscription in whose place another one waits."""


@state
class SubscriptionState:
    """The state of a subscription at this daemon.

    `node_name`: empty for one whose workflow has gone. `checked`: when the service was asked last whether it has it;
    None: not since this daemon began to lead. Moments are Unix ms.
    """

    id: str
    workflow_id: str
    node_name: str
    phase: str = ""
    checked: int | None = None
    expires: int | None = None
    failures: int = 0
    error: str = ""
    failed: int | None = None
    outage: bool | None = None
    """Whether the error workflow has heard of one; None: that is not known yet."""
    unproven: str = ""
    """Why its events can be made up; empty: they cannot, or nobody can tell."""


@record
class SubscriptionStanding:
    """The state of a node, for the API. next: when the service is asked next; None: it is asked now, or by another
    daemon.
    """

    id: str
    node_name: str
    phase: str
    next: int | None
    expires: int | None
    error: str
    failed: int | None


class Subscriptions:
    """Of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(TriggerSettings)
        self._context = context
        self._settings = settings
        self._spread = round(settings.poll_jitter * 1000)
        """ms over which the looks of a start are spread."""
        self._records = context.port(SubscriptionRecords)
        self._steps = SubscriptionSteps(context, settings, self._records)
        self._outages = Outages(context)
        self._timers = KeyedTimers(context.clock, _SLOTS)
        self._known: dict[str, SubscriptionState] = {}
        self._lock = asyncio.Lock()
        self._leads = asyncio.Event()
        self._settled: dict[str, asyncio.Event] = {}
        """By id: set with the end of its next step."""

    async def run(self) -> None:
        """Bring everything together, until cancelled."""
        for one in self._known.values():
            one.checked = None
        self._leads.set()
        try:
            await self._insist(None)
            await self._timers.run(self._due)
        finally:
            self._leads.clear()

    def standings(self, workflow_id: str) -> Sequence[SubscriptionStanding]:
        return [
            SubscriptionStanding(
                one.id, one.node_name, one.phase, self._timers.next_of(one.id), one.expires, one.error, one.failed
            )
            for one in self._known.values()
            if one.workflow_id == workflow_id
        ]

    def failures_of(self, workflow_id: str) -> Mapping[str, str]:
        """Node -> why the service refuses."""
        return {one.node_name: one.error for one in self._of(workflow_id) if one.error}

    def unproven_of(self, workflow_id: str) -> Mapping[str, str]:
        """Node -> why its events can be made up."""
        return {one.node_name: one.unproven for one in self._of(workflow_id) if one.unproven}

    def _of(self, workflow_id: str) -> Sequence[SubscriptionState]:
        return [one for one in self._known.values() if one.workflow_id == workflow_id]

    async def follow(self, workflow_id: str) -> None:
        """Serve the subscriptions that the store now has for a workflow.

        Waits a moment for the service, so that the caller that has made the change soon learns the service's answer.
        """
        try:
            touched = await self._refresh(workflow_id, self._context.clock.now_ms())
        except StoreUnavailable:
            self._context.log.error("A change of subscriptions waits for the store.", extra={"workflowId": workflow_id})
            self._context.spawn(f"subscriptions of {workflow_id}", self._insist(workflow_id))
            return
        if touched and (self._leads.is_set() or self._context.store.exclusive):
            await self._settling(touched)

    def look(self, workflow_id: str) -> None:
        """The service may have forgotten what this workflow wants, as after a test event."""
        for one in self._known.values():
            if one.workflow_id == workflow_id:
                one.checked = None
                self._timers.at(one.id, self._context.clock.now_ms())

    async def begin_test(self, wanted: Wanted, told: Callable[[SubscriptionRecord], None]) -> None:
        """One for a test event; `end_test` ends it, whatever happens in between.

        `told`: gets it before the service does, and once more when the service has answered. Raises as
        `SubscriptionSteps`.
        """
        told(await self._steps.begin(wanted, told=told, test=True))

    async def end_test(self, ident: str, workflow_id: str) -> None:
        self._known[ident] = SubscriptionState(ident, workflow_id, "")
        self._timers.at(ident, self._context.clock.now_ms())
        self.look(workflow_id)

    async def _settling(self, ids: Sequence[str]) -> None:
        waits = [asyncio.ensure_future(self._settled.setdefault(ident, asyncio.Event()).wait()) for ident in ids]
        try:
            await asyncio.wait(waits, timeout=self._settings.subscribe_wait)
        finally:
            for wait in waits:
                wait.cancel()
            for ident in ids:
                self._settled.pop(ident, None)

    # -- what the store holds

    async def _insist(self, workflow_id: str | None) -> None:
        work = self._load if workflow_id is None else partial(self._refresh, workflow_id, None)
        await answered(self._context.clock, work)

    async def _load(self) -> None:
        rows = await registered(self._context.store, SUBSCRIBE, None, active=True)
        for workflow_id in dict.fromkeys(row.workflow_id for row in rows):
            await self._refresh(workflow_id, None)
        for ident in await self._records.ids():
            if ident not in self._known or self._timers.next_of(ident) is None:
                kept = await self._records.get(ident)
                if kept is not None:
                    self._known.setdefault(ident, SubscriptionState(ident, kept.workflow_id, kept.node.name))
                    self._timers.at(ident, self._context.clock.now_ms() + jitter_of(ident, self._spread))

    async def _refresh(self, workflow_id: str, first: int | None) -> list[str]:
        """The ids of those that are to be worked on."""
        async with self._lock:
            rows = await registered(self._context.store, SUBSCRIBE, workflow_id, active=True)
            ids = {row.id for row in rows} | {
                one.id for one in self._known.values() if one.workflow_id == workflow_id and one.node_name
            }
            names = {row.id: row.node_name for row in rows}
            now = self._context.clock.now_ms()
            for ident in ids:
                one = self._known.setdefault(ident, SubscriptionState(ident, workflow_id, ""))
                one.node_name = names.get(ident, one.node_name)
                if first is not None:
                    self._timers.at(ident, first)
                elif self._timers.next_of(ident) is None:
                    self._timers.at(ident, now + jitter_of(ident, self._spread))
            return sorted(ids)

    async def _wanted(self, one: SubscriptionState) -> Wanted | None:
        """As `live_node`."""
        live = await live_node(self._context, one.id)
        return None if live is None else Wanted(live, event_url(self._context, ident_of(live.node)))

    # -- what is due

    async def _due(self, key: str) -> int | None:
        one = self._known.get(key)
        if one is None:
            return None
        try:
            following = await self._agreed(one)
        except (NodeError, JackfieldError) as exc:
            asked = exc.retry_after if isinstance(exc, ServiceRefusal) else None
            following = await self._failed(one, exc.message, asked)
        except TimeoutError:
            seconds = self._settings.subscribe_timeout
            following = await self._failed(one, f"The service did not answer within {seconds:g} seconds.", None)
        except Exception as exc:
            about = {"workflowId": one.workflow_id, "node": one.node_name}
            self._context.log.exception("A subscription failed.", extra=about)
            following = await self._failed(one, f"The node failed ({type(exc).__name__}); the log says how.", None)
        else:
            one.failures, one.error, one.failed = 0, "", None
            await self._works(one, following)
        if following is None:
            self._known.pop(key, None)
        if settled := self._settled.get(key):
            settled.set()
        return following

    async def _agreed(self, one: SubscriptionState) -> int | None:
        """One look; gives when the next is due, None when nothing is left. Raises as the steps do."""
        wanted, kept = await self._wanted(one), await self._records.get(one.id)
        if kept is not None and (wanted is None or kept.phase == "ending" or kept.fingerprint != wanted.fingerprint):
            one.phase = "ending"
            await self._ended(one, kept, replaced=wanted is not None)
            kept = None
        if wanted is None:
            return None
        one.node_name = wanted.live.node.name
        if kept is None:
            one.phase = "beginning"
            kept = await self._steps.begin(wanted)
        elif kept.phase == "beginning" or self._is_stale(one):
            kept = await self._steps.check(kept) or await self._steps.again(kept)
        if kept.expires is not None and self._renewal(kept) <= self._context.clock.now_ms():
            kept = await self._renewed(kept)
        one.unproven = await self._steps.unproven(kept)
        return self._following(one, kept)

    async def _ended(self, one: SubscriptionState, kept: SubscriptionRecord, *, replaced: bool) -> None:
        """replaced: another one follows, which must not wait for a service that refuses to end this one, as when its
        credential was revoked."""
        try:
            await self._steps.end(kept)
        except NodeError as exc:
            refused = isinstance(exc, ServiceRefusal) and 400 <= exc.status < 500 and exc.status not in (408, 429)
            if not replaced or not (refused or one.failures >= _TRIES):
                raise
            about = {"workflowId": one.workflow_id, "node": one.node_name}
            self._context.log.error("The service may keep an earlier subscription: %s", exc.message, extra=about)
            await self._records.drop(kept.id)

    def _is_stale(self, one: SubscriptionState) -> bool:
        now = self._context.clock.now_ms()
        return one.checked is None or now - one.checked >= round(self._settings.check_interval * 1000)

    async def _renewed(self, kept: SubscriptionRecord) -> SubscriptionRecord:
        try:
            return await self._steps.renew(kept)
        except ServiceRefusal as exc:
            if not exc.gone:
                raise
            return await self._steps.again(kept)

    def _renewal(self, kept: SubscriptionRecord) -> int:
        """When it is renewed; Unix ms."""
        end = kept.expires or 0
        return end - min(round(self._settings.renew_before * 1000), max(0, end - kept.since) // 5)

    def _following(self, one: SubscriptionState, kept: SubscriptionRecord) -> int:
        now = self._context.clock.now_ms()
        if self._is_stale(one):
            one.checked = now
        one.phase, one.expires = kept.phase, kept.expires
        interval = round(self._settings.check_interval * 1000)
        look = (one.checked or now) + interval + jitter_of(one.id, interval // 10)
        return look if kept.expires is None else min(look, max(self._renewal(kept), now + 1000))

    async def _failed(self, one: SubscriptionState, message: str, asked: float | None) -> int | None:
        """When to try again; None: it is given up."""
        now = self._context.clock.now_ms()
        one.failures += 1
        about = {"workflowId": one.workflow_id, "node": one.node_name}
        if not one.error:
            self._context.log.warning("A subscription failed: %s", message, extra=about)
        one.error, one.failed = self._context.secrets.hide(message), now
        if not one.outage and one.node_name and one.phase != "ending":
            one.outage = await self._outages.failed(one.workflow_id, one.node_name, one.error, one.failures) or None
        if one.phase == "ending" and await self._is_given_up(one, now):
            told = "The service keeps a subscription that could not be ended: %s"
            self._context.log.error(told, message, extra=about)
            return None
        return now + backoff_ms(one.failures, self._settings.backoff, self._settings.backoff_most, asked)

    async def _works(self, one: SubscriptionState, following: int | None) -> None:
        """following: when it is looked at next; None: it has ended."""
        if following is None or one.outage is False:
            return
        if await self._outages.over(one.workflow_id, one.node_name):
            one.outage = False

    async def _is_given_up(self, one: SubscriptionState, now: int) -> bool:
        try:
            kept = await self._records.get(one.id)
            if kept is None or kept.ending_since is None:
                return False
            if now - kept.ending_since < self._settings.unsubscribe_for * 1000:
                return False
            await self._records.drop(one.id)
        except StoreUnavailable:
            return False
        return True
