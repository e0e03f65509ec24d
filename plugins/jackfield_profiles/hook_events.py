"""The events of hooks, as `hooks_config` names them."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput

EVENTS = (
    "PreToolUse", "PostToolUse", "Notification", "Stop",
    "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "SessionStart", "SessionEnd", "SubagentStart",
    "SubagentStop", "StopFailure", "PreCompact", "PostCompact", "Setup", "TeammateIdle", "TaskCompleted",
    "ConfigChange", "InstructionsLoaded", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult",
)  # fmt: skip
"""The specification's four, then those that Claude Code has beyond."""


def known_event(event: str) -> str:
    """Raises `InvalidInput`."""
    if event not in EVENTS:
        raise InvalidInput(
            "There is no such hook event.",
            code="HOOK_EVENT_UNKNOWN",
            details={"hooks_config": f"use one of: {', '.join(EVENTS)}"},
        )
    return event
