"""The line of `jackfield doctor` about an interface that is not built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_ui.app import STATIC
from jackfield_ui.files import PAGE

NOT_BUILT = (
    "was not built: Node.js 20.19 or newer, or npm, was missing. Install the wheel of a release; or install both, and"
    " then Jackfield from the clone again"
)


def findings(context: PluginContext) -> Sequence[Finding]:
    """Everything else works without the interface, so nothing is wrong."""
    return of_folder(STATIC)


def of_folder(folder: Path) -> Sequence[Finding]:
    """The same for an interface in this folder."""
    return [] if (folder / PAGE).is_file() else [Finding("browser interface", True, NOT_BUILT)]
