"""Execute Workflow Trigger: where a workflow starts that another one runs; its items are what that one hands over."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription
from jackfield_nodes.parameters import Parameters
from jackfield_nodes.passing import PassingNode


class InputField(Parameters):
    name: str = ""
    type: str = "string"


class Fields(Parameters):
    values: list[InputField] = Field(default_factory=list)


class ExecuteWorkflowTrigger(Parameters):
    input_source: Literal["workflowInputs", "jsonExample", "passthrough"] = Field(
        "workflowInputs", description="How the fields that callers fill are told: one by one, by example, not at all."
    )
    workflow_inputs: Fields = Field(default_factory=Fields)
    json_example: object = Field("", description="An object whose keys are the fields.")


def node(context: PluginContext) -> PassingNode:
    described = NodeDescription(
        "When Executed by Another Workflow", "Starts when another workflow runs this one.", "trigger", 0, trigger=True
    )
    return PassingNode("executeWorkflowTrigger", (1, 1.1), described, ExecuteWorkflowTrigger)
