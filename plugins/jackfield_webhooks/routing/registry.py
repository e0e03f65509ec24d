"""The routes that are served and the hooks behind them, kept equal to the store."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from jackfield.api.call_triggers import CallTrigger
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import NotFound, StoreUnavailable
from jackfield.api.projects import reaching, run_reach
from jackfield.api.records import state
from jackfield.api.shared_workflows import PeerChanges
from jackfield.api.storage import Webhook
from jackfield.api.triggers import TRIGGERS, Registration
from jackfield.api.triggers.registered import registered
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_webhooks.routing.table import Route, RouteTable
from jackfield_webhooks.settings import WebhookSettings

if TYPE_CHECKING:
    from jackfield_webhooks.hook import Hook

KIND = "webhook"
_RETRY_SECONDS = 1.0


@state
class _Ready:
    hook: Hook
    checked: float
    """When the stored credential was compared last; monotonic seconds."""


class HookSource(Protocol):
    """The hooks of nodes, worked out. A port, because the daemon needs none of it before somebody saves or calls."""

    async def make(self, webhook: Webhook, workflow: Workflow) -> Hook | None:
        """None when this version of the workflow has no such webhook. Raises `StoreUnavailable`."""

    def registrations(self, kind: str, nodes: Sequence[Node]) -> Sequence[Registration]:
        """nodes: with the parameters of Webhook nodes."""

    async def problems(self, kind: str, nodes: Sequence[Node], workflow: Workflow) -> Sequence[Problem]:
        """Why these nodes must not go live. Raises `StoreUnavailable`."""


class RouteRegistry:
    """Routes of every saved workflow, and ready hooks for those that are called, at most `webhooks.cached_webhooks`."""

    def __init__(self, context: PluginContext) -> None:
        self._tables: dict[str, RouteTable] = defaultdict(RouteTable)
        self._context = context
        self._settings = context.settings(WebhookSettings)
        self._ready: OrderedDict[Route, _Ready] = OrderedDict()
        self._lock = asyncio.Lock()
        self._peers: PeerChanges | None = None

    async def load(self) -> None:
        """Read every registration. Raises `StoreUnavailable`."""
        peers = None if self._context.store.exclusive else self._context.find_port(PeerChanges)
        self._peers = peers if peers is not None and peers.shared else None
        async with self._lock:
            grouped: dict[tuple[str, str], list[Webhook]] = {}
            for webhook in await self._rows(None):
                grouped.setdefault((webhook.kind, webhook.workflow_id), []).append(webhook)
            for (kind, workflow_id), webhooks in grouped.items():
                self._tables[kind].replace(workflow_id, webhooks)

    async def is_caught_up(self) -> bool:
        """Serve what other daemons have changed until now. False: nobody else shares the store. Raises
        `StoreUnavailable`."""
        if self._peers is None:
            return False
        await self._peers.catch_up()
        return True

    def table(self, kind: str) -> RouteTable:
        """The routes of one kind of trigger; the same object for as long as the daemon runs."""
        return self._tables[kind]

    def kinds(self) -> list[str]:
        """Of all triggers that receive calls."""
        return [KIND, *call_triggers(self._context)]

    async def refresh(self, workflow_id: str) -> None:
        """Serve what the store now holds of this workflow. While the store does not answer, it is asked again."""
        try:
            await self._refresh(workflow_id)
        except StoreUnavailable:
            self._context.log.error("A change of routes waits for the store.", extra={"workflowId": workflow_id})
            self._context.spawn(f"routes of {workflow_id}", self._insist(workflow_id))

    async def _refresh(self, workflow_id: str) -> None:
        # Under the lock, so that of two changes the one that reads last is the one that stays.
        async with self._lock:
            webhooks = await self._rows(workflow_id)
            for kind in self.kinds():
                table = self._tables[kind]
                for route in table.routes(workflow_id):
                    self._ready.pop(route, None)
                table.replace(workflow_id, [webhook for webhook in webhooks if webhook.kind == kind])

    async def _insist(self, workflow_id: str) -> None:
        while True:
            await self._context.clock.sleep(_RETRY_SECONDS)
            try:
                return await self._refresh(workflow_id)
            except StoreUnavailable:
                continue

    async def _rows(self, workflow_id: str | None) -> list[Webhook]:
        return await registered(self._context.store, self.kinds(), workflow_id, active=None)

    def ready(self, route: Route) -> Hook | None:
        """The hook, if it can be used as it is."""
        ready = self._ready.get(route)
        if ready is None or ready.hook.credential is not None:
            return None
        self._ready.move_to_end(route)
        return ready.hook

    async def hook(self, route: Route) -> Hook:
        """The hook of a route, made anew when it is not there or its credential changed. Raises `NotFound`,
        `StoreUnavailable`."""
        ready = self._ready.get(route)
        if ready is not None and await self._is_current(ready):
            return ready.hook
        workflow = await self._context.port(WorkflowReader).load(route.webhook.workflow_id)
        hook = await self._context.port(HookSource).make(route.webhook, workflow)
        if hook is None:
            raise NotFound("This webhook has just been changed; try again.")
        self._ready[route] = _Ready(hook, self._context.clock.monotonic())
        if len(self._ready) > self._settings.cached_webhooks:
            self._ready.popitem(last=False)
        return hook

    async def _is_current(self, ready: _Ready) -> bool:
        if ready.hook.credential is None:
            return True
        now = self._context.clock.monotonic()
        if now - ready.checked < self._settings.credential_refresh:
            return True
        ident, changed = ready.hook.credential
        with reaching(run_reach(ready.hook.webhook.workflow_id)):
            stored = await self._context.store.credential(ident)
        ready.checked = now
        return (stored.updated_at if stored else 0) == changed


def call_triggers(context: PluginContext) -> dict[str, CallTrigger]:
    """Triggers of other plugins that receive calls, by kind."""
    found = context.extensions(TRIGGERS).items()
    return {kind: trigger for kind, trigger in found if isinstance(trigger, CallTrigger)}
