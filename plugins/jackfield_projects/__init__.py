"""Projects: who is in which, what belongs to them, and what they share."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class ProjectsPlugin(Plugin):
    """Projects: who is in which, what belongs to them, and what they share."""

    name = "projects"
    commands = ("jackfield_projects.commands:projects",)
    provides = {"jackfield.api.projects:Placing": "jackfield_projects.service:ProjectDesk"}
    parts = ("jackfield_projects.service:ProjectDesk",)

    jackfield_blueprints = later("jackfield_projects.blueprints:blueprints")
