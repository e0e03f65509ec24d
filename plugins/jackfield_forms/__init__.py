"""Forms: the trigger that a web page starts, its further pages, and pages that executions wait for."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class FormsPlugin(Plugin):
    """Forms: the trigger that a web page starts, its further pages, and pages that executions wait for."""

    name = "forms"
    settings = (SettingsTable("forms", "jackfield_forms.settings:FormSettings"),)
    provides = {"jackfield.api.approvals:WaitingQuestions": "jackfield_forms.open_questions:FormQuestions"}

    jackfield_nodes = later("jackfield_forms.offers:nodes")
    jackfield_triggers = later("jackfield_forms.offers:triggers")
    jackfield_asgi = later("jackfield_forms.mounts:mounts")
