"""Who may offer a workflow as a tool: its name and description are read by agents of every profile, so that whoever
writes them speaks to agents."""

from __future__ import annotations

from jackfield.api.auth import AGENTS_WRITE, Principal
from jackfield.api.errors import AccessDenied
from jackfield.api.workflow_tools import SETTING, tool_offer
from jackfield.api.workflows import Workflow


def check_offer(workflow: Workflow, caller: Principal, before: Workflow | None = None) -> None:
    """before: the stored workflow, whose offer may stay. Raises `AccessDenied`."""
    message = offer_lack(workflow, caller, before)
    if message:
        raise AccessDenied(message, details={"scope": AGENTS_WRITE, "setting": SETTING})


def offer_lack(workflow: Workflow, caller: Principal, before: Workflow | None = None) -> str:
    """Why the caller may not store the workflow; empty: nothing is in the way. n8n's switch offers nothing before the
    workflow goes live."""
    offer = tool_offer(workflow.settings.raw)
    if offer is None or caller.may(AGENTS_WRITE) or not (offer.explicit or workflow.active):
        return ""
    if before is not None and tool_offer(before.settings.raw) == offer and before.name == workflow.name:
        return ""
    who = "this API key" if caller.scopes is not None else f"the role {caller.role}"
    return f"To offer a workflow as a tool to agents needs the scope {AGENTS_WRITE}, which {who} lacks."
