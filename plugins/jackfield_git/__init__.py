"""Source control: workflows and what they need in a git repository, a branch for each environment."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class GitPlugin(Plugin):
    """Source control: workflows and what they need in a git repository, a branch for each environment."""

    name = "git"
    settings = (SettingsTable("git", "jackfield_git.settings:GitSettings"),)
    commands = ("jackfield_git.commands:git",)
    provides = {"jackfield.api.environments:Environment": "jackfield_git.environment:GitEnvironment"}
    parts = ("jackfield_git.service:SourceControl",)

    jackfield_blueprints = later("jackfield_git.http.routes:blueprints")
