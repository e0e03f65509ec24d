"""The node types n8nTrigger and workflowTrigger, with n8n's parameters and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, Parameters, needed
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import Scalar, Ui, UiFields, Words
from jackfield.api.workflows import Item, Items, Node, Workflow

_UPDATED: Mapping[Scalar, Words] = {"update": ("A live workflow was changed", "This workflow is live and was saved.")}
_ACTIVATED: Mapping[Scalar, Words] = {"activate": ("The workflow went live", "This workflow has become live.")}
_STARTED: Mapping[Scalar, Words] = {"init": ("The daemon started", "Each start of the daemon, while it is live.")}
_HELP = "With which events the workflow starts."
_WORDS = {
    "n8nTrigger": {"activate": "Workflow published", "update": "Workflow updated", "init": "Instance started"},
    "workflowTrigger": {"activate": "Workflow activated", "update": "Workflow updated"},
}
"""Kind of the node -> event -> n8n's name of it in the item."""


class LifecycleParameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "events": Ui("multiselect", choices={**_UPDATED, **_STARTED, **_ACTIVATED}, help=_HELP)
    }

    events: list[str] = Field(default_factory=list, description=_HELP, json_schema_extra=needed())


class WorkflowEventParameters(LifecycleParameters):
    ui_fields: ClassVar[UiFields] = {"events": Ui("multiselect", choices={**_UPDATED, **_ACTIVATED}, help=_HELP)}


class LifecycleNode(PassingNode):
    """Its item is made with the event."""

    def __init__(
        self, context: PluginContext, kind: str, description: NodeDescription, model: type[NodeParameters]
    ) -> None:
        super().__init__(kind, (1,), description, model)
        self._context = context

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items:
        """See `EntryNode`."""
        if items is not None:
            return items
        return [event_item("Manual execution", self._context.clock.now_ms(), workflow.id)]


def event_item(event: str, now: int, workflow_id: str | None) -> Item:
    """n8n's. now: Unix ms."""
    return {"json": {"event": event, "timestamp": iso(now), "workflow_id": workflow_id}}


def event_name(kind: str, event: str) -> str:
    """As the item has it; empty for one that nodes of this kind know nothing of."""
    return _WORDS[kind].get(event, "")


def node(context: PluginContext, kind: str) -> LifecycleNode:
    """The node of this kind."""
    if kind == "workflowTrigger":
        title, summary = "Workflow Trigger", "Starts the workflow when it goes live or is changed."
        model: type[NodeParameters] = WorkflowEventParameters
    else:
        title, summary = "n8n Trigger", "Starts the workflow when it goes live, is changed, or the daemon starts."
        model = LifecycleParameters
    described = NodeDescription(title, summary, "trigger", inputs=0, trigger=True, help="triggers#the-daemon-itself")
    return LifecycleNode(context, kind, described, model)
