"""Proxies: one router per profile, between any agent and any provider."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.proxy import Proxies


class ProxyPlugin(Plugin):
    """Proxies: one router per profile, between any agent and any provider."""

    name = "proxy"
    settings = (SettingsTable("proxy", "jackfield_proxy.settings:ProxySettings"),)
    commands = ("jackfield_proxy.commands:proxy",)
    provides = {Proxies: "jackfield_proxy.serving:proxies"}
    parts = ("jackfield_proxy.lazy:LazyProxies",)

    jackfield_proxy_strategies = later("jackfield_proxy.routing.strategies:STRATEGIES")
    jackfield_proxy_conditions = later("jackfield_proxy.routing.conditions:CONDITIONS")
    jackfield_blueprints = later("jackfield_proxy.routes:blueprints")
    jackfield_metrics = later("jackfield_proxy.serving:metrics")
    start = deferred("jackfield_proxy.serving:start")
    stop = deferred("jackfield_proxy.serving:stop")
