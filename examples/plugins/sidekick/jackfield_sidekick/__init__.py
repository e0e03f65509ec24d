"""An agent and a provider, as files of a package."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class SidekickPlugin(Plugin):
    """Gives the manifests and the script that the package brings."""

    name = "sidekick"
    requires = "1"

    jackfield_manifest_directories = later("jackfield_sidekick.files:DIRECTORIES")
