"""The part that readers of spreadsheets share."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.nodes import NodeError

ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
"""Media type of OpenDocument spreadsheets."""


def chosen_sheet(names: Sequence[str], wanted: str) -> str:
    """The sheet to read, the first unless named. Raises `NodeError`."""
    if not names:
        raise NodeError("The file has no sheets.")
    if wanted and wanted not in names:
        raise NodeError(f"The file has no sheet '{wanted}'; it has: {', '.join(names)}.")
    return wanted or names[0]


def unreadable(kind: str, exc: Exception) -> NodeError:
    """To be raised for whatever a damaged file makes of a library."""
    return NodeError(f"The file cannot be read as {kind} ({type(exc).__name__}).")
