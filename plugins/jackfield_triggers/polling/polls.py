"""Every live node that polls: when it is due, how it went, and what it is asked next."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, state
from jackfield.api.storage import Webhook
from jackfield.api.triggers import registered_node
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.polling import POLL_TIMES, PollTimes, PollTimesReader
from jackfield.api.triggers.registered import registered
from jackfield.api.triggers.resolving import resolved
from jackfield.api.workflows import Node, Workflow
from jackfield_triggers.kinds import POLL
from jackfield_triggers.outages import Outages
from jackfield_triggers.polling.one_poll import OnePoll
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.store_waits import answered
from jackfield_triggers.timers import KeyedTimers, backoff_ms, jitter_of


@state
class LivePoll:
    """id: of the registration. jitter: ms by which it is later than its times say. Moments are Unix ms."""

    id: str
    workflow_id: str
    node_name: str
    times: PollTimes
    jitter: int
    version: int
    polled: int | None = None
    event: int | None = None
    failures: int = 0
    error: str = ""
    failed: int | None = None
    left_out: str = ""
    outage: bool | None = None
    """Whether the error workflow has heard of one; None: that is not known yet."""

    def after(self, moment: int, least: int) -> int | None:
        """When it is due after a poll at `moment`. least: ms between two polls."""
        found = self.times.after(moment - self.jitter)
        while found is not None and found + self.jitter < moment + least - least // 10:
            found = self.times.after(found)
        return None if found is None else found + self.jitter


@record
class PollStanding:
    """The state of a node, for the API. next: None while it is asked, or at a daemon that does not ask."""

    id: str
    node_name: str
    polled: int | None
    next: int | None
    error: str
    failed: int | None


class Polls:
    """Of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(TriggerSettings)
        self.begun = False
        self._context = context
        self._settings = settings
        self._timers = KeyedTimers(context.clock, settings.poll_concurrency)
        self._live: dict[str, LivePoll] = {}
        self._one = OnePoll(context, settings)
        self._outages = Outages(context)
        self._lock = asyncio.Lock()
        self._leads = False

    async def run(self) -> None:
        """Ask, until cancelled."""
        self._leads = True
        try:
            await self._insist(None)
            await self._timers.run(self._due)
        finally:
            self._leads = False

    def standings(self, workflow_id: str) -> Sequence[PollStanding]:
        return [
            PollStanding(
                one.id, one.node_name, one.polled, self._timers.next_of(one.id), one.error or one.left_out, one.failed
            )
            for one in self._live.values()
            if one.workflow_id == workflow_id
        ]

    def failures_of(self, workflow_id: str) -> Mapping[str, str]:
        """Node -> why its last poll failed, or what it left out."""
        return {
            one.node_name: text
            for one in self._live.values()
            if one.workflow_id == workflow_id and (text := one.error or one.left_out)
        }

    async def follow(self, workflow_id: str) -> None:
        """Serve what the store now holds of a workflow."""
        try:
            await self._refresh(workflow_id, self._context.clock.now_ms())
        except StoreUnavailable:
            self._context.log.error("A change of polls waits for the store.", extra={"workflowId": workflow_id})
            self._context.spawn(f"polls of {workflow_id}", self._insist(workflow_id))

    # -- what the store holds

    async def _insist(self, workflow_id: str | None) -> None:
        work = self._load if workflow_id is None else partial(self._refresh, workflow_id, None)
        await answered(self._context.clock, work)

    async def _load(self) -> None:
        """All that is live, spread over some time: a daemon that starts asks once for what it has missed."""
        for workflow_id in dict.fromkeys(
            row.workflow_id for row in await registered(self._context.store, POLL, None, active=True)
        ):
            await self._refresh(workflow_id, None)

    async def _refresh(self, workflow_id: str, first: int | None) -> None:
        """first: when nodes that were not live before are asked first; None: soon, each at its own time."""
        async with self._lock:  # of two changes the one that reads last is the one that stays
            rows = await registered(self._context.store, POLL, workflow_id, active=True)
            made = await self._made(workflow_id, rows) if rows else []
            wanted = {one.id for one in made}
            for one in [one for one in self._live.values() if one.workflow_id == workflow_id]:
                if one.id not in wanted:
                    del self._live[one.id]
                    self._timers.drop(one.id)
            for one in made:
                self._take(one, first)

    def _take(self, one: LivePoll, first: int | None) -> None:
        before = self._live.get(one.id)
        self._live[one.id] = one
        if before is not None and before.version == one.version and self._timers.next_of(one.id) is not None:
            one.polled, one.event, one.failures = before.polled, before.event, before.failures
            one.error, one.failed, one.left_out = before.error, before.failed, before.left_out
            one.outage = before.outage
            return
        now = self._context.clock.now_ms()
        self._timers.at(one.id, now + one.jitter if first is None else first)

    async def _made(self, workflow_id: str, rows: Sequence[Webhook]) -> list[LivePoll]:
        try:
            workflow = await self._context.port(WorkflowReader).load(workflow_id)
        except NotFound:
            return []
        except StoreUnavailable:
            raise
        except JackfieldError as exc:
            self._context.log.error("A polling workflow is not served: %s", exc, extra={"workflowId": workflow_id})
            return []
        return [one for row in rows if (one := await self._live_of(workflow, row)) is not None]

    async def _live_of(self, workflow: Workflow, row: Webhook) -> LivePoll | None:
        node = registered_node(workflow.nodes.values(), row.node_id, row.node_name)
        times = await self._times(workflow, node, row) if node is not None else None
        if node is None or times is None:
            return None
        span = self._span(times)
        return LivePoll(row.id, row.workflow_id, node.name, times, jitter_of(row.id, span), workflow.version)

    def _span(self, times: PollTimes) -> int:
        """Over which its polls are spread: never more than lies between two of them."""
        first = times.after(self._context.clock.now_ms())
        second = times.after(first) if first is not None else None
        gap = second - first if first is not None and second is not None else 1
        return min(round(self._settings.poll_jitter * 1000), gap)

    async def _times(self, workflow: Workflow, node: Node, row: Webhook) -> PollTimes | None:
        known, _ = await resolved(self._context, workflow, node)
        zone = self._context.port(WorkflowReader).timezone(workflow)
        reader = self._context.port(PollTimesReader)
        times, findings = reader.read(known.parameters.get(POLL_TIMES), zone, row.created_at)
        if findings:
            about = {"workflowId": row.workflow_id, "node": node.name}
            self._context.log.error("A poll is not served in full: %s", findings, extra=about)
        return times

    # -- what is due

    async def _due(self, key: str) -> int | None:
        """Poll once; gives the next moment."""
        one = self._live.get(key)
        if one is None:
            return None
        now = self._context.clock.now_ms()
        one.polled = now
        try:
            polled = await self._one.poll(one.id, one.workflow_id, one.node_name)
        except NotFound:
            return None
        except (NodeError, JackfieldError) as exc:
            return await self._failed(one, exc.message, exc.retry_after if isinstance(exc, ServiceRefusal) else None)
        except TimeoutError:
            return await self._failed(one, f"The poll took longer than {self._settings.poll_timeout:g} seconds.", None)
        except Exception as exc:
            self._context.log.exception("A poll failed.", extra={"workflowId": one.workflow_id, "node": one.node_name})
            return await self._failed(one, f"The node's poll failed ({type(exc).__name__}); the log says how.", None)
        one.failures, one.error, one.failed, one.left_out = 0, "", None, polled.left_out
        if one.outage is not False and await self._outages.over(one.workflow_id, one.node_name):
            one.outage = False
        if polled.items:
            one.event = now
        return now if polled.more and polled.items else one.after(now, round(self._settings.poll_least * 1000))

    async def _failed(self, one: LivePoll, message: str, asked: float | None) -> int | None:
        now = self._context.clock.now_ms()
        one.failures += 1
        if not one.error:
            about = {"workflowId": one.workflow_id, "node": one.node_name}
            self._context.log.warning("A poll failed: %s", message, extra=about)
        one.error, one.failed = self._context.secrets.hide(message), now
        if not one.outage:
            one.outage = await self._outages.failed(one.workflow_id, one.node_name, one.error, one.failures) or None
        wait = backoff_ms(one.failures, self._settings.backoff, self._settings.backoff_most, asked)
        regular = one.after(now, round(self._settings.poll_least * 1000))
        return max(now + wait, regular if regular is not None and one.failures == 1 else 0)
