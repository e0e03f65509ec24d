"""Log streaming: the audit log and events of executions go to syslog, an HTTP address or a collector of OTLP."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class LogStreamsPlugin(Plugin):
    """Log streaming: the audit log and events of executions go to syslog, an HTTP address or a collector of OTLP."""

    name = "log_streams"
    first_process_only = True
    settings = (SettingsTable("log_streams", "jackfield_log_streams.settings:LogStreamsSettings"),)
    parts = (
        "jackfield_log_streams.book:StreamBook",
        "jackfield_log_streams.delivering:Deliveries",
    )

    jackfield_blueprints = later("jackfield_log_streams.routes:blueprints")
    jackfield_metrics = later("jackfield_log_streams.metrics:metrics")
    jackfield_sealed_values = later("jackfield_log_streams.book:sealed_values")
    start = deferred("jackfield_log_streams.delivering:start")
    stop = deferred("jackfield_log_streams.delivering:stop")
