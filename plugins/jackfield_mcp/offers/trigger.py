"""The trigger kind `tool`: which tool a workflow is, and why it may not go live as one."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.object_references import load
from jackfield.api.triggers import Registration, Start, WorkflowChange
from jackfield.api.workflow_tools import SETTING, ToolOffer, tool_offer
from jackfield.api.workflows import Node, Problem, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from jackfield_mcp.tool import AnyTool

KIND = "tool"
METHOD = "TOOL"
_STARTING = "jackfield_mcp.offers.starting:start_of"
_CATALOGUE = "jackfield_mcp.catalogue:TOOLS"
_UNFIT = re.compile(r"[^a-z0-9]+")
_LONGEST = 40


def name_of(workflow: Workflow, offer: ToolOffer) -> str:
    """The offer's, else one from the workflow's name. The switch of n8n has no name for two workflows of one name to
    differ by, so that their ids make the difference."""
    if offer.name:
        return offer.name
    text = _UNFIT.sub("_", workflow.name.lower()).strip("_")
    text = text if text[:1].isalpha() else f"workflow_{text}".strip("_")
    if offer.explicit:
        return text[:_LONGEST].rstrip("_")
    told = hashlib.sha256((workflow.id or "").encode()).hexdigest()[:4]
    return f"{text[: _LONGEST - 5].rstrip('_')}_{told}"


class OfferTrigger:
    """Serves workflows with the setting. The trigger reads its workflows from the store with each request, so that
    nothing has to follow."""

    kind = KIND

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        """A name is live once, whatever its case."""
        offer = tool_offer(workflow.settings.raw)
        node = None if offer is None else _start_of(workflow, offer)
        if offer is None or node is None:
            return []
        name = name_of(workflow, offer)
        return [Registration(node.id, node.name, KIND, METHOD, "/" + name, name.lower())]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        """n8n's switch keeps no workflow from being live."""
        offer = tool_offer(workflow.settings.raw)
        if offer is None or not offer.explicit:
            return []
        if _start_of(workflow, offer) is None:
            where = f"settings.{SETTING}" + (".startNode" if offer.start else "")
            message = (
                "A tool starts at an enabled Execute Workflow Trigger, Manual Trigger, form, chat, webhook or "
                "schedule; add one, or name it as startNode."
            )
            return [Problem(where, message, "activation")]
        name = name_of(workflow, offer)
        tools = cast("Sequence[AnyTool]", await asyncio.to_thread(load, _CATALOGUE))
        if any(tool.name == name.lower() for tool in tools):
            message = f"The daemon has its own tool that is called {name}; choose another name."
            return [Problem(f"settings.{SETTING}.name", message, "activation")]
        return []

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [Start(row.node_name, f"A call of the tool {row.path[1:]} by an agent of a profile")
                for row in self.registrations(workflow)]  # fmt: skip

    async def follow(self, change: WorkflowChange) -> None:
        """Nothing is kept."""


def _start_of(workflow: Workflow, offer: ToolOffer) -> Node | None:
    """Loaded with the first workflow that is offered."""
    return cast("Callable[[Workflow, ToolOffer], Node | None]", load(_STARTING))(workflow, offer)


def triggers(context: object) -> Sequence[OfferTrigger]:
    return [OfferTrigger()]
