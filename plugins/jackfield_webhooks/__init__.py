"""Webhooks: the trigger, the ingress that serves `/webhook` and `/webhook-test`, their history and management."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later, when_built

_REJECTIONS = "jackfield_webhooks.calls.rejections"


class WebhooksPlugin(Plugin):
    """Webhooks: the trigger, the ingress that serves `/webhook` and `/webhook-test`, their history and management."""

    name = "webhooks"
    settings = (SettingsTable("webhooks", "jackfield_webhooks.settings:WebhookSettings"),)
    commands = ("jackfield_webhooks.commands:webhook",)
    provides = {
        "jackfield.api.call_triggers:CallIngress": "jackfield_webhooks.ingress.applications:PluginIngress",
        "jackfield.api.call_triggers:EventHistory": "jackfield_webhooks.calls.event_history:EventCalls",
        "jackfield_webhooks.routing.registry:HookSource": "jackfield_webhooks.hook:HookFactory",
    }
    parts = (
        "jackfield_webhooks.authentication.isolation:PresetThreads",
        "jackfield_webhooks.authentication.presets:PresetCatalog",
        "jackfield_webhooks.routing.registry:RouteRegistry",
        f"{_REJECTIONS}:RejectedCalls",
        "jackfield_webhooks.calls.figures:CallFigures",
        "jackfield_webhooks.ingress.shares:CallShares",
    )

    jackfield_nodes = later("jackfield_webhooks.trigger:nodes")
    jackfield_triggers = later("jackfield_webhooks.trigger:triggers")
    jackfield_webhook_presets = later("jackfield_webhooks.authentication.senders:PRESETS")
    jackfield_asgi = later("jackfield_webhooks.mounts:mounts")
    jackfield_blueprints = later("jackfield_webhooks.management.routes:blueprints")
    jackfield_metrics = later("jackfield_webhooks.calls.figures:metrics")
    start = deferred("jackfield_webhooks.trigger:start")
    stop = when_built(f"{_REJECTIONS}:RejectedCalls", f"{_REJECTIONS}:stop")
