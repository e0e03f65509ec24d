"""Proxies: one router per profile, between any agent and any provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Metric
    from jackfield.api.proxy import Proxies, RoutingCondition, RoutingStrategy


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_proxy.settings import ProxySettings

    return [SettingsTable("proxy", ProxySettings)]


@hookimpl
def jackfield_proxies(context: PluginContext) -> Proxies:
    from jackfield_proxy.lazy import LazyProxies

    return LazyProxies.of(context)


@hookimpl
def jackfield_proxy_strategies() -> Sequence[RoutingStrategy]:
    from jackfield_proxy.routing.strategies import STRATEGIES

    return STRATEGIES


@hookimpl
def jackfield_proxy_conditions() -> Sequence[RoutingCondition]:
    from jackfield_proxy.routing.conditions import CONDITIONS

    return CONDITIONS


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_proxy.routes import blueprint

    return [blueprint(context)]


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_proxy.commands import proxy

    return [proxy]


@hookimpl
def jackfield_metrics(context: PluginContext) -> Sequence[Metric]:
    from jackfield_proxy.lazy import LazyProxies

    return LazyProxies.of(context).metrics()


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_proxy.lazy import LazyProxies

    proxies = LazyProxies.of(context)
    proxies.serving = True
    context.spawn("start again", proxies.resume())


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_proxy.lazy import LazyProxies

    await LazyProxies.of(context).close()
