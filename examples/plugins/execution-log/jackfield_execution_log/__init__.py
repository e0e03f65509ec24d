"""Writes what happens as JSON lines."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class ExecutionLogPlugin(Plugin):
    """A telemetry sink that writes a file."""

    name = "execution_log"
    requires = "1"
    settings = (SettingsTable("execution_log", "jackfield_execution_log.settings:ExecutionLogSettings"),)

    jackfield_telemetry_sinks = later("jackfield_execution_log.sink:sinks")
