"""The audit log: an append-only chain of who did something, its pages, its export and its check."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class AuditPlugin(Plugin):
    """The audit log: an append-only chain of who did something, its pages, its export and its check."""

    name = "audit"
    settings = (SettingsTable("audit", "jackfield_audit.settings:AuditSettings"),)
    commands = ("jackfield_audit.commands:audit",)
    provides = {"jackfield.api.audit:AuditLog": "jackfield_audit.chain:audit_log"}
    parts = ("jackfield_audit.chain:AuditChain",)

    jackfield_blueprints = later("jackfield_audit.routes:blueprints")
    jackfield_sealed_values = later("jackfield_audit.anchor:stamped_end")
    jackfield_metrics = later("jackfield_audit.metrics:metrics")
    jackfield_findings = later("jackfield_audit.findings:findings")
    start = deferred("jackfield_audit.keeping:start")
    stop = deferred("jackfield_audit.keeping:stop")
