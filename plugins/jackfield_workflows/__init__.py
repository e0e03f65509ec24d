"""Workflows: documents, validation, the management API and its commands."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, cast

from jackfield.api.context import WorkflowReader
from jackfield.api.object_references import load
from jackfield.api.plugin import Plugin, SettingsTable, later

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

OLD_DOCUMENTS = "jackfield_workflows.documents.old_documents:seal_old_documents"


class WorkflowsPlugin(Plugin):
    """Workflows: documents, validation, the management API and its commands."""

    name = "workflows"
    settings = (SettingsTable("workflows", "jackfield_workflows.settings:WorkflowsSettings"),)
    commands = (
        "jackfield_workflows.cli.commands:workflow",
        "jackfield_workflows.cli.executions:execution",
        "jackfield_workflows.cli.variables:variable",
        "jackfield_workflows.cli.tags:tag",
    )
    provides = {
        WorkflowReader: "jackfield_workflows.documents.reader:CachedReader",
        "jackfield.api.saved_documents:SavedDocuments": "jackfield_workflows.saved.port:SavedDocumentsPort",
    }
    parts = ("jackfield_workflows.saved.changes:WorkflowChanges",)

    def start(self) -> None:
        """See to what an earlier version has stored."""
        work = cast("Callable[[PluginContext], Coroutine[object, object, None]]", load(OLD_DOCUMENTS))
        self.context.spawn("old documents", work(self.context))

    jackfield_sealed_values = later("jackfield_workflows.documents.resealing:sealed_values")
    jackfield_blueprints = later("jackfield_workflows.blueprints:blueprints")
