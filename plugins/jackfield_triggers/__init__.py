"""Triggers that ask services, that get their events, that hold a connection, and that the daemon itself starts."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class TriggersPlugin(Plugin):
    """Triggers that ask services, that get their events, that hold a connection, and that the daemon itself starts."""

    name = "triggers"
    first_process_only = True
    settings = (SettingsTable("triggers", "jackfield_triggers.settings:TriggerSettings"),)
    commands = ("jackfield_triggers.commands:trigger",)
    parts = (
        "jackfield_triggers.leadership:Leadership",
        "jackfield_triggers.listening.listeners:Listeners",
        "jackfield_triggers.polling.polls:Polls",
        "jackfield_triggers.subscribing.records:SubscriptionRecords",
        "jackfield_triggers.subscribing.subscriptions:Subscriptions",
        "jackfield_triggers.subscribing.waiting:TestEvents",
    )

    jackfield_nodes = later("jackfield_triggers.offers:nodes")
    jackfield_triggers = later("jackfield_triggers.offers:triggers")
    jackfield_blueprints = later("jackfield_triggers.management.routes:blueprints")
    jackfield_sealed_values = later("jackfield_triggers.offers:sealed_values")
    start = deferred("jackfield_triggers.offers:start")
