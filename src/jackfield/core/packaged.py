"""Directories of manifests and scripts that plugins' packages bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.manifests import MANIFEST_DIRECTORIES
from jackfield.api.records import record

if TYPE_CHECKING:
    from .ports import Extensions


@record
class PackagedDirectory:
    """distribution: empty for one of Jackfield's own."""

    path: Path
    distribution: str


class PackagedDirectories:
    """In the plugins' order."""

    def __init__(self, extensions: Extensions, report: Callable[[str, str], None]) -> None:
        """report: told the plugin and what is wrong with a directory of its."""
        self._extensions = extensions
        self._report = report
        self._found: Sequence[PackagedDirectory] | None = None

    def __call__(self) -> Sequence[PackagedDirectory]:
        """Asks the plugins once, and looks at the file system then."""
        if self._found is None:
            found = []
            for given in self._extensions.given(MANIFEST_DIRECTORIES).values():
                path = given.value.path
                if isinstance(path, Path) and path.is_absolute() and path.is_dir():
                    found.append(PackagedDirectory(path, given.distribution))
                else:
                    self._report(
                        given.plugin,
                        f"failed in jackfield_manifest_directories: {path} is no directory; give the absolute path of "
                        "one that the package brings",
                    )
            self._found = found
        return self._found
