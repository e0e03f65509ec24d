"""Parameters of the node Evaluation."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_evaluations.nodes.form import EVALUATION_FORM
from jackfield_evaluations.nodes.trigger import EvaluationTable


class EvaluatedInput(Parameters, title="Input"):
    input_name: str = ""
    input_value: object = ""


class EvaluatedInputs(Parameters, title="Inputs"):
    values: list[EvaluatedInput] = Field(default_factory=list)


class EvaluatedOutput(Parameters, title="Output"):
    output_name: str = ""
    output_value: object = ""


class EvaluatedOutputs(Parameters, title="Outputs"):
    values: list[EvaluatedOutput] = Field(default_factory=list)


class MetricAssignment(Parameters, title="Metric"):
    id: str | None = None
    name: str = ""
    value: object = ""
    type: str | None = "number"


class MetricAssignments(Parameters, title="Metrics"):
    assignments: list[MetricAssignment] = Field(default_factory=list)


class MetricOptions(Parameters, title="Options"):
    metric_name: str = Field("", description="Name of the metric, in place of its usual name.")
    input_prompt: str = Field("", description="The question to the model, with the answers in braces.")


class EvaluationParameters(Parameters):
    ui_fields: ClassVar[UiFields] = EVALUATION_FORM

    operation: Literal["setInputs", "setOutputs", "setMetrics", "checkIfEvaluating"] = "setOutputs"
    source: str | None = Field(None, description="The place of the dataset.")
    data_table_id: EvaluationTable | str | None = Field(None, description="The table: from the list, or by id.")
    inputs: EvaluatedInputs = Field(default_factory=EvaluatedInputs)
    outputs: EvaluatedOutputs = Field(default_factory=EvaluatedOutputs)
    metric: str | None = Field(None, description="The measure of quality.")
    expected_answer: object = Field("", description="The answer that is known to be right.")
    actual_answer: object = Field("", description="The answer that was given.")
    user_query: object = Field("", description="The question that was asked.")
    expected_tools: str = Field("", description="Names of tools, separated by commas.")
    intermediate_steps: object = Field(None, description="The intermediate steps of an agent.")
    prompt: str = Field("", description="Instructions for the model.")
    metrics: MetricAssignments = Field(default_factory=MetricAssignments)
    options: MetricOptions = Field(default_factory=MetricOptions)
