"""The time zone of a workflow."""

from __future__ import annotations

from datetime import UTC, tzinfo

from jackfield.api.dates import iana_zone
from jackfield.api.nodes import NodeError, NodeRun


def zone_of(run: NodeRun) -> tzinfo:
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
