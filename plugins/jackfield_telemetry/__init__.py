"""Usage: tokens and cost from agents' logs, the log of sessions, reports and export."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.telemetry import Usage


class TelemetryPlugin(Plugin):
    """Usage: tokens and cost from agents' logs, the log of sessions, reports and export."""

    name = "telemetry"
    settings = (SettingsTable("telemetry", "jackfield_telemetry.settings:TelemetrySettings"),)
    commands = ("jackfield_telemetry.filing_commands:usage",)
    provides = {Usage: "jackfield_telemetry.port:UsagePort"}
    parts = ("jackfield_telemetry.service:UsageService", "jackfield_telemetry.background:Background")

    jackfield_usage_readers = later("jackfield_telemetry.formats:READERS")
    jackfield_blueprints = later("jackfield_telemetry.report_routes:blueprints")
    jackfield_telemetry_sinks = later("jackfield_telemetry.otel:sinks")
    jackfield_findings = later("jackfield_telemetry.findings:findings")
    jackfield_metrics = later("jackfield_telemetry.port:metrics")
    start = deferred("jackfield_telemetry.background:start")
    stop = deferred("jackfield_telemetry.background:stop")
