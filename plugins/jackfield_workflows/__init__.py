"""Workflows: documents, executions and the run loop."""

from __future__ import annotations

from jackfield.api.context import WorkflowReader
from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class WorkflowsPlugin(Plugin):
    """Workflows: documents, executions and the run loop."""

    name = "workflows"
    settings = (
        SettingsTable("workflows", "jackfield_workflows.settings:WorkflowsSettings"),
        SettingsTable("executions", "jackfield_workflows.settings_executions:ExecutionsSettings"),
    )
    commands = ("jackfield_workflows.cli.commands:workflow",)
    provides = {WorkflowReader: "jackfield_workflows.reader:CachedReader"}

    jackfield_engine = later("jackfield_workflows.engine:build")
    jackfield_blueprints = later("jackfield_workflows.api:blueprints")
    start = deferred("jackfield_workflows.retention:start")
