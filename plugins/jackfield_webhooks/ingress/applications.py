"""The applications, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from jackfield.api.asgi import AsgiApp
from jackfield.api.call_triggers import CallTrigger
from jackfield.api.context import PluginContext
from jackfield.api.limits import SlidingWindow
from jackfield.api.shared_counts import SharedCounts
from jackfield.api.storage import Webhook
from jackfield.api.triggers import Registration, served_nodes
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_webhooks.bodies.receiving import BodyMemory
from jackfield_webhooks.calls.figures import CallFigures
from jackfield_webhooks.calls.rejections import RejectedCalls
from jackfield_webhooks.calls.running import CallRunner
from jackfield_webhooks.hook import as_webhook
from jackfield_webhooks.ingress.limiting import CallLimit
from jackfield_webhooks.ingress.live import Ingress, NoIngress, OneTestIngress, TestIngress
from jackfield_webhooks.ingress.shares import CallShares
from jackfield_webhooks.ingress.waiting import WaitingIngress
from jackfield_webhooks.paths import parameter_names, tests_enabled
from jackfield_webhooks.routing.registry import KIND, HookSource, RouteRegistry
from jackfield_webhooks.routing.table import Route
from jackfield_webhooks.settings import WebhookSettings

IngressT = TypeVar("IngressT", bound=Ingress)
_MAX_TIMES = 2_000_000
"""Moments that a rate limit remembers at most, about 64 MiB."""


def live_of(context: PluginContext, kind: str) -> AsgiApp:
    return _application(context, Ingress, kind)


def live(context: PluginContext) -> AsgiApp:
    return live_of(context, KIND)


def testing_of(context: PluginContext, kind: str) -> AsgiApp:
    return _application(context, TestIngress, kind) if tests_enabled(context) else NoIngress()


def testing(context: PluginContext) -> AsgiApp:
    return testing_of(context, KIND)


def only(context: PluginContext, webhook: Webhook) -> AsgiApp:
    """Test calls of one webhook, whatever else is saved for its path."""
    ingress = _application(context, OneTestIngress, webhook.kind)
    ingress.route = Route(webhook, parameter_names(webhook.path))
    return ingress


def waiting(context: PluginContext) -> AsgiApp:
    return _application(context, WaitingIngress, KIND)


class PluginIngress:
    """`CallIngress`: calls of other plugins' triggers."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def application(self, kind: str, *, test: bool) -> AsgiApp:
        return testing_of(self._context, kind) if test else live_of(self._context, kind)

    def registrations(self, trigger: CallTrigger, workflow: Workflow) -> Sequence[Registration]:
        return self._context.port(HookSource).registrations(trigger.kind, _nodes(self._context, trigger, workflow))

    async def problems(self, trigger: CallTrigger, workflow: Workflow) -> Sequence[Problem]:
        return await self._context.port(HookSource).problems(
            trigger.kind, _nodes(self._context, trigger, workflow), workflow
        )


def _nodes(context: PluginContext, trigger: CallTrigger, workflow: Workflow) -> list[Node]:
    served = served_nodes(workflow, trigger.nodes)
    return [as_webhook(context, trigger, node) for node in served]


def _application(context: PluginContext, served: type[IngressT], kind: str) -> IngressT:
    settings = context.settings(WebhookSettings)
    runner = CallRunner(context, settings)
    registry, rejected = context.port(RouteRegistry), context.port(RejectedCalls)
    memory = BodyMemory(settings.body_memory)
    limit, calls = _limit(context, settings), context.port(CallFigures).of(served.counted_as or kind)
    return served(context, settings, kind, registry, rejected, runner, limit, memory, calls)


def _limit(context: PluginContext, settings: WebhookSettings) -> CallLimit | None:
    limit = settings.rate_limit
    if not limit.enabled:
        return None
    keys = max(1, min(limit.clients, _MAX_TIMES // limit.requests))
    own = SlidingWindow(context.clock, limit.requests, limit.window, keys)
    shared = not context.store.exclusive and isinstance(context.store, SharedCounts)
    return CallLimit(own, context.port(CallShares) if shared else None)
