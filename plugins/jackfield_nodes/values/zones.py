"""The time zone of a workflow."""

from __future__ import annotations

import os
from datetime import UTC, tzinfo

from jackfield.api.dates import iana_zone
from jackfield.api.nodes import AttachedNode, NodeError, NodeRun


def daemon_zone() -> tzinfo:
    """The zone of the daemon's process, in which n8n reads dates without an offset."""
    name = os.environ.get("TZ") or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        return iana_zone(name) if name else UTC
    except ValueError:
        return UTC


def zone_of(run: NodeRun | AttachedNode) -> tzinfo:
    """The workflow's zone, the daemon's when it names none. Raises `NodeError` for an unknown one."""
    name = run.execution.workflow.settings.timezone or run.execution.timezone
    if not name or name in {"DEFAULT", "UTC"}:
        return UTC
    try:
        return iana_zone(name)
    except ValueError:
        raise NodeError(
            f"The workflow's time zone '{name}' is unknown; use an IANA name such as Europe/Berlin."
        ) from None
