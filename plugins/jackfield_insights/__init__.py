"""Insights: executions over weeks and years, also when they are no longer in the history."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class InsightsPlugin(Plugin):
    """Insights: executions over weeks and years, also when they are no longer in the history."""

    name = "insights"
    first_process_only = True
    settings = (SettingsTable("insights", "jackfield_insights.settings:InsightsSettings"),)
    commands = ("jackfield_insights.commands:insights",)
    parts = ("jackfield_insights.desk:InsightsDesk",)

    jackfield_blueprints = later("jackfield_insights.routes:blueprints")
    start = deferred("jackfield_insights.compaction:start")
