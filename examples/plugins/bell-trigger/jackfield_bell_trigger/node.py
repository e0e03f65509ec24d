"""The node."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Node


class BellParameters(NodeParameters):
    """Parameters of the Bell node."""

    door: str = Field(min_length=1, description="Path below /bell.")
    code: str = Field("", description="Value of the header X-Bell-Code.", json_schema_extra={"secret": True})


class BellNode:
    """Hands on who rang."""

    kind = "bell"
    versions: Sequence[float] = (1.0,)
    description = NodeDescription("Bell", "Starts when somebody rings.", "trigger", inputs=0, trigger=True)
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return BellParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        return [run.items]
