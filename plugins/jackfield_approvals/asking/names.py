"""Names that agents' configuration and our own side share."""

from __future__ import annotations

SERVER = "jackfield_approvals"
TOOL = "ask"
TOKEN = "JACKFIELD_APPROVALS_TOKEN"  # noqa: S105 - a variable's name
"""The variable of an agent's environment that holds its token."""
EVENT = "PermissionRequest"
"""The hook's."""
