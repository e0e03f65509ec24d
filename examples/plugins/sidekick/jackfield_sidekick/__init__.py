"""An agent and a provider, as files of a package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jackfield.api.manifests import ManifestDirectory
from jackfield.api.plugin import Plugin, hookimpl


class SidekickPlugin(Plugin):
    """Gives the manifests and the script that the package brings."""

    name = "sidekick"
    requires = "1"

    @hookimpl
    def jackfield_manifest_directories(self) -> Sequence[ManifestDirectory]:
        """One directory, with a folder for each kind."""
        return [ManifestDirectory(Path(__file__).parent / "manifests")]
