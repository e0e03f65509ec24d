"""What the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jackfield.api.asgi import AsgiApp, AsgiMount, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.limits import SlidingWindow
from jackfield.api.resume import WEBHOOK as WAITING
from jackfield_webhooks.paths import PRODUCTION, TEST
from jackfield_webhooks.settings import WebhookSettings

if TYPE_CHECKING:
    from jackfield_webhooks.ingress import Ingress

_MAX_TIMES = 2_000_000
"""Moments that a rate limit remembers at most, about 64 MiB."""


class _Mounted:
    """Builds the application at the first request, when the other plugins' ports are there."""

    def __init__(self, context: PluginContext, make: Callable[[PluginContext], AsgiApp]) -> None:
        self._context = context
        self._make = make
        self._app: AsgiApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            self._app = self._make(self._context)
        await self._app(scope, receive, send)


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """All are public: a webhook authenticates its own callers."""
    return [
        AsgiMount(PRODUCTION, _Mounted(context, _live), "public"),
        AsgiMount(TEST, _Mounted(context, _trial), "public"),
        AsgiMount(WAITING, _Mounted(context, _waiting), "public"),
    ]


def _live(context: PluginContext) -> AsgiApp:
    from jackfield_webhooks.ingress import Ingress

    return _application(context, Ingress)


def _trial(context: PluginContext) -> AsgiApp:
    from jackfield_webhooks.ingress import NoIngress, TrialIngress

    wanted = context.settings(WebhookSettings).test_enabled
    enabled = wanted if wanted is not None else context.service.loopback
    return _application(context, TrialIngress) if enabled else NoIngress()


def _waiting(context: PluginContext) -> AsgiApp:
    from jackfield_webhooks.waiting import WaitingIngress

    return _application(context, WaitingIngress)


def _application(context: PluginContext, kind: type[Ingress]) -> AsgiApp:
    from jackfield_webhooks.receiving import BodyMemory
    from jackfield_webhooks.running import Runner
    from jackfield_webhooks.trigger import WebhookTrigger

    settings = context.settings(WebhookSettings)
    trigger = context.port(WebhookTrigger)
    runner = Runner(context, settings)
    memory = BodyMemory(settings.body_memory)
    return kind(context, settings, trigger.registry, trigger.rejected, runner, _limit(context, settings), memory)


def _limit(context: PluginContext, settings: WebhookSettings) -> SlidingWindow | None:
    limit = settings.rate_limit
    if not limit.enabled:
        return None
    keys = max(1, min(limit.clients, _MAX_TIMES // limit.requests))
    return SlidingWindow(context.clock, limit.requests, limit.window, keys)
