"""Evaluation Trigger: where a run of an evaluation begins, with one row of a data table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import Flag, NodeDescription, Parameters
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_evaluations.nodes.form import LOCATOR, TRIGGER_FORM
from jackfield_evaluations.nodes.kinds import TRIGGER


class EvaluationTable(Parameters, title="Locator"):
    """A chosen data table."""

    ui: ClassVar[Ui] = LOCATOR

    value: str | None = ""
    mode: str = "list"


class EvaluationCondition(Parameters, title="Condition"):
    key_name: str = "id"
    condition: Literal[
        "eq", "neq", "like", "ilike", "gt", "gte", "lt", "lte", "isEmpty", "isNotEmpty", "isTrue", "isFalse"
    ] = "eq"
    key_value: object = ""


class EvaluationConditions(Parameters, title="Conditions"):
    conditions: list[EvaluationCondition] = Field(default_factory=list)


class EvaluationTriggerParameters(Parameters):
    ui_fields: ClassVar[UiFields] = TRIGGER_FORM

    source: str = Field("dataTable", description="The place of the dataset.")
    data_table_id: EvaluationTable | str | None = Field(None, description="The table: from the list, or by id.")
    limit_rows: Flag = Field(False, description="Whether to take some rows only.")
    max_rows: float = Field(10, description="Rows at most.")
    filter_rows: Flag = Field(False, description="Whether to take only rows that meet conditions.")
    match_type: str = "anyCondition"
    filters: EvaluationConditions = Field(default_factory=EvaluationConditions)


def node(context: PluginContext) -> PassingNode:
    description = NodeDescription(
        "Evaluation Trigger",
        "Starts the workflow with a row of a data table, in a run of an evaluation.",
        "trigger",
        inputs=0,
        trigger=True,
        help="evaluations#nodes",
    )
    versions: Sequence[float] = (4.6, 4.7)
    return PassingNode(TRIGGER, versions, description, EvaluationTriggerParameters)
