"""Backups: the store and the configuration directory, of one moment, kept by content; restored and verified."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class BackupPlugin(Plugin):
    """Backups: the store and the configuration directory, of one moment, kept by content; restored and verified."""

    name = "backup"
    first_process_only = True
    settings = (SettingsTable("backup", "jackfield_backup.settings:BackupSettings"),)
    commands = (
        "jackfield_backup.commands:backup",
        "jackfield_backup.commands:restore",
        "jackfield_backup.commands:verify",
    )

    jackfield_findings = later("jackfield_backup.schedule:findings")
    start = deferred("jackfield_backup.settings:start")
