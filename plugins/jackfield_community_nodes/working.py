"""Which nodes of packages can run here."""

from __future__ import annotations

from jackfield_community_nodes.packages import VersionDescription

TRIGGER = (
    "The package's node is a trigger, which community packages cannot be here. Start the workflow with a built-in "
    "trigger, such as a webhook or a schedule."
)
PART = "The package's node gives parts to AI nodes, such as a model, which community packages cannot do here."
NOTHING = "The package's node has neither execute nor a description of requests."


def missing_of(described: VersionDescription) -> str:
    """Why a node cannot run; empty when it can."""
    work = described.work
    if work.get("execute") or work.get("routing"):
        return PART if _only_parts(described) else ""
    if work.get("poll") or work.get("trigger") or work.get("webhook"):
        return TRIGGER
    return PART if work.get("supply") else NOTHING


def is_trigger(described: VersionDescription) -> bool:
    group = described.description.get("group")
    return isinstance(group, list) and "trigger" in group


def _only_parts(described: VersionDescription) -> bool:
    """Whether it gives no items."""
    outputs = described.description.get("outputs")
    named = [one.get("type") if isinstance(one, dict) else one for one in outputs] if isinstance(outputs, list) else []
    return bool(named) and all(isinstance(one, str) and one.startswith("ai_") for one in named)
