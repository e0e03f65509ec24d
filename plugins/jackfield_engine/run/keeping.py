"""Whether a workflow wants an execution to be kept once it is over."""

from __future__ import annotations

from jackfield.api.workflows import Workflow

_BY_HAND = frozenset({"manual", "test"})


def is_kept(workflow: Workflow, mode: str, status: str) -> bool:
    """By n8n's rule: `saveManualExecutions` decides on runs by hand, the other two settings on the rest. Until it is
    over, every execution is stored, so that it survives a crash."""
    settings = workflow.settings.raw
    if mode in _BY_HAND:
        return settings.get("saveManualExecutions") is not False
    name = "saveDataSuccessExecution" if status == "success" else "saveDataErrorExecution"
    return settings.get(name) != "none"
