"""Logs users in with the names and passwords of a directory."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class DirectoryLoginPlugin(Plugin):
    """One password login, `directory`."""

    name = "directory_login"
    requires = "1"
    settings = (SettingsTable("directory_login", "jackfield_directory_login.settings:DirectoryLoginSettings"),)

    jackfield_password_logins = later("jackfield_directory_login.login:logins")
