"""The browser interface: its built files under `/` and `/ui`."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class UiPlugin(Plugin):
    """The browser interface: its built files under `/` and `/ui`."""

    name = "ui"
    jackfield_asgi = later("jackfield_ui.app:mounts")
    jackfield_findings = later("jackfield_ui.findings:findings")
