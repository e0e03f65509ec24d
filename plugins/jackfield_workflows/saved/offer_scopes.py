"""The scopes to offer a workflow as a tool.

Agents of every profile read its name, description and fields, so that their author speaks to agents.
"""

from __future__ import annotations

from jackfield.api.auth import AGENTS_WRITE, Principal
from jackfield.api.errors import AccessDenied
from jackfield.api.workflow_tools import FIELDS_TOLD, SETTING, ToolOffer, tool_offer
from jackfield.api.workflows import Workflow


def check_offer(workflow: Workflow, caller: Principal, before: Workflow | None = None) -> None:
    """before: the stored workflow, whose offer may stay as agents read it. Raises `AccessDenied`."""
    message = offer_lack(workflow, caller, before)
    if message:
        raise AccessDenied(message, details={"scope": AGENTS_WRITE, "setting": SETTING})


def offer_lack(workflow: Workflow, caller: Principal, before: Workflow | None = None) -> str:
    """Why the caller may not store the workflow; empty: nothing is in the way. n8n's switch offers nothing before the
    workflow goes live."""
    offer = tool_offer(workflow.settings.raw)
    if offer is None or caller.may(AGENTS_WRITE) or not (offer.explicit or workflow.active):
        return ""
    if before is not None and _told(before, tool_offer(before.settings.raw)) == _told(workflow, offer):
        return ""
    who = "this API key" if caller.is_limited else f"the role {caller.role}"
    return f"To offer a workflow as a tool to agents needs the scope {AGENTS_WRITE}, which {who} lacks."


def _told(workflow: Workflow, offer: ToolOffer | None) -> object:
    """All of which agents may read something. Without a schema of the offer that is what the start node asks for."""
    nodes = workflow.nodes.values() if offer is not None and offer.schema is None else ()
    fields = {node.name: (node.parameters, node.disabled) for node in nodes if node.kind in FIELDS_TOLD}
    return offer, workflow.name, fields
