"""Usage: tokens and cost from agents' logs, the log of sessions, reports and export."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.telemetry import Usage


class TelemetryPlugin(Plugin):
    """Usage: tokens and cost from agents' logs, the log of sessions, reports and export."""

    name = "telemetry"
    settings = (SettingsTable("telemetry", "jackfield_telemetry.settings:TelemetrySettings"),)
    commands = ("jackfield_telemetry.cli.commands:usage",)
    provides = {
        Usage: "jackfield_telemetry.recorder:UsageRecorder",
        "jackfield.api.tracing:Tracer": "jackfield_telemetry.tracing.tracer:SinkTracer",
    }
    parts = (
        "jackfield_telemetry.service:UsageService",
        "jackfield_telemetry.background:Background",
        "jackfield_telemetry.metrics:UsageCounts",
        "jackfield_telemetry.sharing.shipping:LedgerSharing",
        "jackfield_telemetry.sharing.standing_in:LedgerStandIns",
        "jackfield_telemetry.sinks.feed:SinkFeed",
    )

    jackfield_usage_readers = later("jackfield_telemetry.readers.formats:READERS")
    jackfield_host_resources = later("jackfield_telemetry.host_resources:resources")
    jackfield_blueprints = later("jackfield_telemetry.http.routes:blueprints")
    jackfield_telemetry_sinks = later("jackfield_telemetry.otel.sink:sinks")
    jackfield_findings = later("jackfield_telemetry.findings:findings")
    jackfield_metrics = later("jackfield_telemetry.metrics:metrics")
    start = deferred("jackfield_telemetry.background:start")
    stop = deferred("jackfield_telemetry.background:stop")
