"""Execution Data: notes fields of the execution, as scripts do with `$execution.customData`; items go on."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.javascript import to_string
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_nodes.flow.form import EXECUTION_DATA

MOST = 10
"""Fields of one execution; further ones are left out, as in n8n."""
LONGEST_KEY, LONGEST_VALUE = 50, 512
"""Characters; the rest is cut off."""
_KEY = re.compile(r"[A-Za-z0-9_]+")


class SavedField(Parameters):
    key: str = Field("", description="Letters, digits and underscores.")
    value: object = Field("", description="A text.")


class SavedFields(Parameters, title="Fields"):
    values: list[SavedField] = Field(default_factory=list)


class ExecutionData(Parameters):
    ui_fields: ClassVar[UiFields] = EXECUTION_DATA

    operation: str = Field("save", description="save: notes the fields.")
    data_to_save: SavedFields = Field(default_factory=SavedFields)


class ExecutionDataNode(ItemNode):
    kind = "executionData"
    versions = (1, 1.1)
    description = NodeDescription("Execution Data", "Notes fields of the execution.", "flow")
    model = ExecutionData

    async def item(self, run: NodeRun, parameters: ExecutionData, item: Item, index: int) -> Items:
        if parameters.operation == "save":
            for field in parameters.data_to_save.values:
                _note(run, field)
        return [passed_on(item, index)]


def _note(run: NodeRun, field: SavedField) -> None:
    """Raises `NodeError` for a key that is none."""
    if not _KEY.fullmatch(field.key):
        raise NodeError(f"The key '{field.key[:100]}' has other characters than letters, digits and underscores.")
    key = field.key[:LONGEST_KEY]
    if key in run.custom_data or len(run.custom_data) < MOST:
        run.custom_data[key] = to_string(field.value or "")[:LONGEST_VALUE]


def node(context: PluginContext) -> ExecutionDataNode:
    return ExecutionDataNode(context)
