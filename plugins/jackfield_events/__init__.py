"""Events, told over the WebSocket `/ws`, and the daemon's own status."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class EventsPlugin(Plugin):
    """Events, told over the WebSocket `/ws`, and the daemon's own status."""

    name = "events"
    first_process_only = True
    settings = (SettingsTable("events", "jackfield_events.settings:EventsSettings"),)
    parts = ("jackfield_events.logs:LogViews",)

    jackfield_asgi = later("jackfield_events.app:mounts")
    jackfield_blueprints = later("jackfield_events.status:blueprints")
    jackfield_host_resources = later("jackfield_events.host_resources:resources")
    start = deferred("jackfield_events.endpoint:start")
    stop = deferred("jackfield_events.endpoint:stop")
