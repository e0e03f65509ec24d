"""Which events the current reach may hear of."""

from __future__ import annotations

from .events import Event
from .projects import ProjectAccess, present_reach
from .records import replace
from .storage import ResourceKind

_NAMED: tuple[tuple[str, ResourceKind], ...] = (
    ("workflowId", "workflow"), ("dataTableId", "data-table"), ("folderId", "folder"),
)  # fmt: skip
_OF_PROFILES = frozenset({"profiles", "terminal", "agent_sessions", "proxy", "approvals"})
_LIMITED = frozenset({"workflows", "webhooks", "credentials", "drafts"}) | _OF_PROFILES
_OF_ALL = frozenset({"tags.changed"})
"""Types of events that tell nothing of any project."""


async def heard_event(access: ProjectAccess | None, event: Event) -> Event | None:
    """The event as this listener may see it; None: it is about something that they do not see.

    Raises `StoreUnavailable`.
    """
    if access is None or present_reach() is None or event.topic not in _LIMITED:
        return event
    if await access.rights() is None:
        return event
    about = _about(event)
    if about is not None:
        return event if await access.sees(*about) else None
    return event if event.type in _OF_ALL else replace(event, data={})


def _about(event: Event) -> tuple[ResourceKind, str] | None:
    """The thing that the event is about; None: of nothing with an id, and its data may have names of any project."""
    ident = event.data.get("id")
    if event.topic in _OF_PROFILES:
        alias = event.data.get("profile") or event.data.get("alias")
        return ("profile", alias) if isinstance(alias, str) else None
    if event.topic == "credentials":
        return "credential", str(ident)
    for name, kind in _NAMED:
        if isinstance(found := event.data.get(name), str):
            return kind, found
    if event.type.startswith("draft."):
        return "draft", str(ident)
    if event.type.startswith("workflow."):
        return "workflow", str(ident)
    if event.type.startswith("execution."):
        return "execution", str(ident)
    return None
