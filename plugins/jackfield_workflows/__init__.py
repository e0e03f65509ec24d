"""Workflows: documents, validation, the management API and its commands."""

from __future__ import annotations

from jackfield.api.context import WorkflowReader
from jackfield.api.plugin import Plugin, SettingsTable, later


class WorkflowsPlugin(Plugin):
    """Workflows: documents, validation, the management API and its commands."""

    name = "workflows"
    settings = (SettingsTable("workflows", "jackfield_workflows.settings:WorkflowsSettings"),)
    commands = ("jackfield_workflows.cli.commands:workflow",)
    provides = {WorkflowReader: "jackfield_workflows.documents.reader:CachedReader"}

    jackfield_blueprints = later("jackfield_workflows.routes.blueprints:blueprints")
