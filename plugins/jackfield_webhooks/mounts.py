"""What the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiApp, AsgiMount, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.limits import SlidingWindow
from jackfield_webhooks.paths import PRODUCTION, TEST
from jackfield_webhooks.settings import WebhookSettings

_MAX_TIMES = 2_000_000
"""Moments that a rate limit remembers at most, about 64 MiB."""


class _Mounted:
    """Builds the application at the first request, when the other plugins' ports are there."""

    def __init__(self, context: PluginContext, test: bool) -> None:
        self._context = context
        self._test = test
        self._app: AsgiApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            self._app = _application(self._context, self._test)
        await self._app(scope, receive, send)


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Both are public: a webhook authenticates its own callers."""
    return [
        AsgiMount(PRODUCTION, _Mounted(context, False), "public"),
        AsgiMount(TEST, _Mounted(context, True), "public"),
    ]


def _application(context: PluginContext, test: bool) -> AsgiApp:
    from jackfield_webhooks.ingress import Ingress, NoIngress, TrialIngress
    from jackfield_webhooks.receiving import BodyMemory
    from jackfield_webhooks.running import Runner
    from jackfield_webhooks.trigger import trigger_of

    settings = context.settings(WebhookSettings)
    enabled = settings.test_enabled if settings.test_enabled is not None else context.service.loopback
    if test and not enabled:
        return NoIngress()
    trigger = trigger_of(context)
    kind = TrialIngress if test else Ingress
    runner = Runner(context, settings)
    memory = BodyMemory(settings.body_memory)
    return kind(context, settings, trigger.registry, trigger.rejected, runner, _limit(context, settings), memory)


def _limit(context: PluginContext, settings: WebhookSettings) -> SlidingWindow | None:
    limit = settings.rate_limit
    if not limit.enabled:
        return None
    keys = max(1, min(limit.clients, _MAX_TIMES // limit.requests))
    return SlidingWindow(context.clock, limit.requests, limit.window, keys)
