"""Virtual keys of proxies: who may use them, how much, and what each key has used."""

from __future__ import annotations

from jackfield.api.gateway import KeyGate, VirtualKeys
from jackfield.api.plugin import Plugin, SettingsTable, hookimpl, later, when_built

_RING = "jackfield_gateway.keyring:VirtualKeyRing"


class GatewayPlugin(Plugin):
    """Virtual keys of proxies: who may use them, how much, and what each key has used."""

    name = "gateway"
    settings = (SettingsTable("gateway", "jackfield_gateway.settings:GatewaySettings"),)
    commands = ("jackfield_gateway.commands:key",)
    provides = {KeyGate: "jackfield_gateway.desk:KeyDesk", VirtualKeys: _RING}
    parts = (_RING,)

    jackfield_blueprints = later("jackfield_gateway.routes:blueprints")
    jackfield_metrics = hookimpl(when_built(_RING, "jackfield_gateway.metrics:metrics"))
    stop = when_built(_RING, "jackfield_gateway.metrics:close")
