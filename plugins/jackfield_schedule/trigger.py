"""The trigger kind `schedule`: what of a document is due at times, and why it may not go live."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.storage import Webhook
from jackfield.api.triggers import Registration, Start, WorkflowChange, node_path, registered_node, served_nodes
from jackfield.api.triggers.registered import registered
from jackfield.api.triggers.resolving import resolved
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_schedule.firing import Firing
from jackfield_schedule.kinds import KINDS
from jackfield_schedule.rules import read
from jackfield_schedule.settings import ScheduleSettings
from jackfield_schedule.ticker import RETRY_S, Ticker
from jackfield_schedule.timed import Timed
from jackfield_schedule.times import Schedule
from jackfield_schedule.words import sentence
from jackfield_schedule.zones import UnknownZone, Zone, zone_named

KIND = "schedule"


class ScheduleTrigger:
    """Serves the nodes scheduleTrigger, cron and interval of active workflows."""

    kind = KIND

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(ScheduleSettings)
        self.ticker = Ticker(context, settings)
        self._context = context
        self._firing = Firing(context, settings, self.ticker.get)
        self._lock = asyncio.Lock()

    async def run(self) -> None:
        """Serve what the store holds, until cancelled."""
        await self._insist(None)
        await self.ticker.run(self._firing.fire)

    # -- the trigger

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, KIND, node.kind.upper(), "", "") for node in served_nodes(workflow, KINDS)
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        nodes = served_nodes(workflow, KINDS)
        if not nodes:
            return []
        try:
            zone = zone_named(self._context.port(WorkflowReader).timezone(workflow))
        except UnknownZone as exc:
            return [Problem("settings.timezone", str(exc))]
        found: list[Problem] = []
        for node in nodes:
            _, findings = await self._read(workflow, node, zone, self._context.clock.now_ms())
            place = f"{node_path(workflow, node)}.parameters"
            found += [Problem(f"{place}.{path}", message) for path, message in findings.items()]
        return found

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        nodes = served_nodes(workflow, KINDS)
        if not nodes:
            return []
        try:
            zone = zone_named(self._context.port(WorkflowReader).timezone(workflow))
        except UnknownZone:
            return []
        read_at = self._context.clock.now_ms()
        told = [(node, (await self._read(workflow, node, zone, read_at))[0]) for node in nodes]
        return [Start(node.name, text) for node, schedules in told if (text := sentence(schedules, zone.name))]

    async def follow(self, change: WorkflowChange) -> None:
        try:
            await self._refresh(change.workflow_id)
        except StoreUnavailable:
            self._context.log.error("A change of schedules waits for the store.", extra=_about(change.workflow_id))
            self._context.spawn(f"schedules of {change.workflow_id}", self._insist(change.workflow_id))

    # -- what the store holds

    async def _insist(self, workflow_id: str | None) -> None:
        """Serve what the store holds, of all workflows or of one, once it answers."""
        while True:
            try:
                return await (self._load() if workflow_id is None else self._refresh(workflow_id))
            except StoreUnavailable:
                await self._context.clock.sleep(RETRY_S)

    async def _load(self) -> None:
        for workflow_id in dict.fromkeys(
            row.workflow_id for row in await registered(self._context.store, KIND, None, active=True)
        ):
            await self._refresh(workflow_id)

    async def _refresh(self, workflow_id: str) -> None:
        # Under the lock, so that of two changes the one that reads last is the one that stays.
        async with self._lock:
            rows = await registered(self._context.store, KIND, workflow_id, active=True)
            made = await self._timed(workflow_id, rows) if rows else []
            self.ticker.replace(workflow_id, made)

    async def _timed(self, workflow_id: str, rows: Sequence[Webhook]) -> list[Timed]:
        try:
            workflow = await self._context.port(WorkflowReader).load(workflow_id)
            stored = await self._context.store.workflow(workflow_id)
            zone = zone_named(self._context.port(WorkflowReader).timezone(workflow))
        except StoreUnavailable:
            raise
        except (JackfieldError, UnknownZone) as exc:
            if not isinstance(exc, NotFound):
                self._context.log.error("A scheduled workflow is not served: %s", exc, extra=_about(workflow_id))
            return []
        made = []
        for row in rows:
            node = registered_node(served_nodes(workflow, KINDS), row.node_id, row.node_name)
            if node is None or stored is None:
                continue
            schedules, findings = await self._read(workflow, node, zone, row.created_at)
            if findings:
                self._context.log.error("A schedule is not served in full: %s", findings, extra=_about(workflow_id))
            timed = Timed(row.id, workflow_id, node.name, node.kind, zone.name, schedules)
            self._begin(timed, stored.updated_at)
            made.append(timed)
        return made

    async def _read(
        self, workflow: Workflow, node: Node, zone: Zone, since: int
    ) -> tuple[Sequence[Schedule], Mapping[str, str]]:
        """As `rules.read`, with the values of expressions."""
        known, failures = await resolved(self._context, workflow, node)
        schedules, findings = read(known, zone.info, since)
        return schedules, {**findings, **failures}

    def _begin(self, timed: Timed, changed: int) -> None:
        """A trigger that was live in this process goes on where it was. Of another, the last moment since the workflow
        was changed is owed: the store knows whether an earlier process served it."""
        now = self._context.clock.now_ms()
        present = self.ticker.get(timed.id)
        if present is not None:
            timed.owed = present.owed
            timed.go_on(min(self.ticker.seen, now))
            return
        timed.owed = self.ticker.missed(timed, changed, now)
        timed.go_on(now)


def of_daemon(context: PluginContext) -> ScheduleTrigger:
    """The one trigger of this plugin."""
    return context.port(ScheduleTrigger)


def _about(workflow_id: str) -> dict[str, object]:
    return {"workflowId": workflow_id}
