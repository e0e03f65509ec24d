"""Execute Workflow Trigger: where a workflow starts that another one runs; its items are what that one hands over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, ValidationError

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeDescription, NodeParameters, NoParameters, Parameters, needed
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items, Node, Workflow
from jackfield_nodes.flow.form import EXECUTE_TRIGGER, INPUT_FIELD


class InputField(Parameters):
    ui_fields: ClassVar[UiFields] = INPUT_FIELD

    name: str = Field("", json_schema_extra=needed())
    type: str = "string"


class InputFields(Parameters, title="Fields"):
    values: list[InputField] = Field(default_factory=list)


class ExecuteWorkflowTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = EXECUTE_TRIGGER

    input_source: Literal["workflowInputs", "jsonExample", "passthrough"] = Field(
        "workflowInputs", description="How you name the fields that callers fill: one by one, by example, not at all."
    )
    workflow_inputs: InputFields = Field(default_factory=InputFields)
    json_example: object = Field("", description="An object whose keys are the fields.")

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        if parameters.get("inputSource", "workflowInputs") != "workflowInputs":
            return {}
        told = parameters.get("workflowInputs")
        if isinstance(told, dict) and told.get("values"):
            return super().obstacles(parameters)
        return {"workflowInputs": "It names no field; name one, or choose to take whatever callers hand over."}


class TriggerNode(PassingNode):
    """From version 1.1 on, a workflow that tells its fields gets these and no others."""

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return ExecuteWorkflowTrigger if (version or 0) >= 1.1 else NoParameters

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items | None:
        """See `EntryNode`."""
        if items is None or (node.version or 0) < 1.1:
            return items
        wanted = field_names(node.parameters)
        return items if wanted is None else [_only(item, wanted) for item in items]


def field_names(raw: Mapping[str, Json]) -> list[str] | None:
    """The fields that callers fill; None: whatever they hand over."""
    try:
        parameters = ExecuteWorkflowTrigger.model_validate(raw)
    except ValidationError:
        return None
    if parameters.input_source == "workflowInputs":
        return [field.name for field in parameters.workflow_inputs.values if field.name] or None
    if parameters.input_source == "jsonExample":
        example = parameters.json_example
        try:
            found = loads(example.encode()) if isinstance(example, str) else example
        except InvalidInput:
            return None
        return list(found) if isinstance(found, dict) else None
    return None


def _only(item: Item, wanted: list[str]) -> Item:
    json: dict[str, Json] = {name: item["json"].get(name) for name in wanted}
    return {**item, "json": json}


def node(context: PluginContext) -> TriggerNode:
    described = NodeDescription(
        "When Executed by Another Workflow", "Starts when another workflow runs this one.", "trigger", 0, trigger=True
    )
    return TriggerNode("executeWorkflowTrigger", (1, 1.1), described, ExecuteWorkflowTrigger)
