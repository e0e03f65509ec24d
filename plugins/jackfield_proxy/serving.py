"""What the plugin does at the start and the stop, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_proxy.lazy import LazyProxies


def proxies(context: PluginContext) -> LazyProxies:
    return context.port(LazyProxies)


def metrics(context: PluginContext) -> Sequence[Metric]:
    return context.port(LazyProxies).metrics()


def start(context: PluginContext) -> None:
    proxies = context.port(LazyProxies)
    proxies.serving = True
    context.spawn("start again", proxies.resume())


async def stop(context: PluginContext) -> None:
    await context.port(LazyProxies).close()
