"""Which workflows a workflow lets run it."""

from __future__ import annotations

from jackfield.api.workflows import Workflow


def refusal(called: Workflow, caller: str | None) -> str:
    """Why the workflow of this id must not run it; empty: it may. The rule is n8n's, where all workflows have one
    owner: so `workflowsFromSameOwner` lets everyone in."""
    settings = called.settings.raw
    policy = settings.get("callerPolicy")
    if policy == "none":
        return "its setting callerPolicy is none."
    if policy != "workflowsFromAList":
        return ""
    listed = settings.get("callerIds")
    allowed = {each.strip() for each in listed.split(",")} if isinstance(listed, str) else set()
    return "" if caller is not None and caller in allowed else "its setting callerIds does not name the caller."
