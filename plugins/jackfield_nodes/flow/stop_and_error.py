"""Stop and Error: ends the run as failed with the author's message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Node
from jackfield_nodes.flow.form import STOP
from jackfield_nodes.values.conversions import text_of, to_object


class StopAndError(Parameters):
    ui_fields: ClassVar[UiFields] = STOP

    error_type: Literal["errorMessage", "errorObject"] = Field("errorMessage", description="A text, or an object.")
    error_message: str | None = Field(
        "", description="The error of the run.", json_schema_extra=needed({"errorType": ["errorMessage"]})
    )
    error_object: object = Field("", description="An object or its JSON; its `message` or `description` is shown.")


def message_of(parameters: StopAndError) -> str:
    """The error of the run. Raises `NodeError` when the object is none."""
    if parameters.error_type == "errorMessage":
        return parameters.error_message or "The workflow was stopped."
    try:
        given = to_object(parameters.error_object)
    except ValueError as exc:
        raise NodeError(f"The parameter errorObject must be one JSON object; it is {exc}.", item=0) from None
    told = next((given[key] for key in ("message", "description", "error") if given.get(key)), given)
    return text_of(told)


class StopAndErrorNode:
    """Fails always."""

    kind = "stopAndError"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Stop and Error", "Ends the run as failed.", "flow", outputs=())
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return StopAndError

    def outputs(self, node: Node) -> int:
        return 0

    async def execute(self, run: NodeRun) -> NodeResult:
        raise NodeError(message_of(await run.resolve_first()))


def node(context: PluginContext) -> StopAndErrorNode:
    return StopAndErrorNode()
