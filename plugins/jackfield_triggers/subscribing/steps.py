"""One subscription's way from what is there to what is wanted: each step at the service is noted before and after."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.records import record, replace
from jackfield.api.triggers.subscribing import SubscribingNode, SubscriptionRun, proving_node, subscribing_node
from jackfield_triggers.access import NodeCredentials
from jackfield_triggers.live_nodes import LiveNode
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.records import SubscriptionRecord, SubscriptionRecords


@record
class Wanted:
    """url: where the events come."""

    live: LiveNode
    url: str

    @property
    def fingerprint(self) -> str:
        """Another one wants another subscription."""
        return self.live.fingerprint(self.url)


class SubscriptionSteps:
    """Each raises `NodeError`, `StoreUnavailable`, TimeoutError."""

    def __init__(self, context: PluginContext, settings: TriggerSettings, records: SubscriptionRecords) -> None:
        self._context = context
        self._settings = settings
        self._records = records

    async def begin(
        self, wanted: Wanted, *, told: Callable[[SubscriptionRecord], None] | None = None, test: bool = False
    ) -> SubscriptionRecord:
        """told: of what is stored before the service is asked."""
        kept = SubscriptionRecord(
            id=wanted.live.id,
            workflow_id=wanted.live.workflow_id,
            node=wanted.live.node,
            timezone=wanted.live.timezone,
            url=wanted.url,
            secret=secrets.token_hex(32),
            fingerprint=wanted.fingerprint,
        )
        await self._records.put(kept)
        if told is not None:
            told(kept)
        return await self._subscribed(kept, test=test)

    async def again(self, kept: SubscriptionRecord) -> SubscriptionRecord:
        """The service has lost it."""
        fresh = replace(kept, phase="beginning", state={}, expires=None)
        await self._records.put(fresh)
        return await self._subscribed(fresh)

    async def _subscribed(self, kept: SubscriptionRecord, *, test: bool = False) -> SubscriptionRecord:
        run = self.run(kept, test=test)
        async with asyncio.timeout(self._settings.subscribe_timeout):
            found = await self.node(kept).subscribe(run)
        return await self._kept(kept, run, found.expires, self._context.clock.now_ms())

    async def renew(self, kept: SubscriptionRecord) -> SubscriptionRecord:
        run = self.run(kept)
        async with asyncio.timeout(self._settings.subscribe_timeout):
            found = await self.node(kept).renew(run)
        return await self._kept(kept, run, found.expires, self._context.clock.now_ms())

    async def check(self, kept: SubscriptionRecord) -> SubscriptionRecord | None:
        """None: the service has it no more."""
        run = self.run(kept)
        async with asyncio.timeout(self._settings.subscribe_timeout):
            if not await self.node(kept).check(run):
                return None
        return await self._kept(kept, run, kept.expires, kept.since)

    async def unproven(self, kept: SubscriptionRecord) -> str:
        """Why its events can be made up; empty also when the node cannot tell."""
        proving = proving_node(self.node(kept))
        try:
            return "" if proving is None else await proving.unproven(self.run(kept))
        except NodeError:
            return ""

    async def end(self, kept: SubscriptionRecord) -> None:
        if kept.phase != "ending":
            kept = replace(kept, phase="ending", ending_since=self._context.clock.now_ms())
            await self._records.put(kept)
        async with asyncio.timeout(self._settings.subscribe_timeout):
            await self.node(kept).unsubscribe(self.run(kept))
        await self._records.drop(kept.id)

    async def _kept(
        self, kept: SubscriptionRecord, run: SubscriptionRun, expires: int | None, since: int
    ) -> SubscriptionRecord:
        state: Mapping[str, Json] = dict(run.state)
        made = replace(kept, phase="live", state=state, expires=expires, since=since, ending_since=None)
        if made != kept:
            await self._records.put(made)
        return made

    def node(self, kept: SubscriptionRecord) -> SubscribingNode:
        """Raises `NodeError`."""
        found = subscribing_node(self._context.port(NodeCatalog).find(kept.node.kind))
        if found is None:
            raise NodeError(f"The node type {kept.node.type} subscribes to nothing; its plugin may be missing.")
        return found

    def run(self, kept: SubscriptionRecord, *, test: bool = False) -> SubscriptionRun:
        self._context.secrets.redact(kept.secret)
        state: dict[str, Json] = loads(dumps(dict(kept.state)))  # type: ignore[assignment]  # an object
        return SubscriptionRun(
            node=kept.node,
            timezone=kept.timezone,
            credentials=NodeCredentials(self._context, kept.node, kept.workflow_id),
            url=kept.url,
            secret=kept.secret,
            state=state,
            log=self._context.log,
            now=self._context.clock.now_ms(),
            test=test,
        )
