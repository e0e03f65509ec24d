"""Webhooks: the trigger, the ingress that serves `/webhook` and `/webhook-test`, their history and management."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class WebhooksPlugin(Plugin):
    """Webhooks: the trigger, the ingress that serves `/webhook` and `/webhook-test`, their history and management."""

    name = "webhooks"
    settings = (SettingsTable("webhooks", "jackfield_webhooks.settings:WebhookSettings"),)
    parts = ("jackfield_webhooks.trigger:WebhookTrigger",)

    jackfield_nodes = later("jackfield_webhooks.trigger:nodes")
    jackfield_triggers = later("jackfield_webhooks.trigger:triggers")
    jackfield_asgi = later("jackfield_webhooks.mounts:mounts")
    jackfield_blueprints = later("jackfield_webhooks.routes:blueprints")
    start = deferred("jackfield_webhooks.trigger:start")
    stop = deferred("jackfield_webhooks.trigger:stop")
