"""Proxies: one router per profile, between any agent and any provider."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl, later, when_built
from jackfield.api.proxy import Proxies

_PORT = "jackfield.api.proxy:Proxies"


class ProxyPlugin(Plugin):
    """Proxies: one router per profile, between any agent and any provider."""

    name = "proxy"
    first_process_only = True
    settings = (SettingsTable("proxy", "jackfield_proxy.settings:ProxySettings"),)
    commands = ("jackfield_proxy.commands:proxy", "jackfield_proxy.editing_commands:proxy_editing")
    provides = {Proxies: "jackfield_proxy.daemon.manager:proxies"}
    parts = ("jackfield_proxy.serving:DaemonRole",)

    jackfield_proxy_strategies = later("jackfield_proxy.routing.strategies:STRATEGIES")
    jackfield_proxy_conditions = later("jackfield_proxy.routing.conditions:CONDITIONS")
    jackfield_host_resources = later("jackfield_proxy.host_resources:resources")
    jackfield_blueprints = later("jackfield_proxy.routes:blueprints")
    jackfield_metrics = hookimpl(when_built(_PORT, "jackfield_proxy.daemon.manager:metrics"))
    jackfield_standing = hookimpl(when_built(_PORT, "jackfield_proxy.daemon.manager:standing"))
    start = deferred("jackfield_proxy.serving:start")
    stop = when_built(_PORT, "jackfield_proxy.daemon.manager:close")
