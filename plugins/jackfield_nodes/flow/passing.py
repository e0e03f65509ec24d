"""What nodes share that only hand their items on."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NoParameters
from jackfield.api.nodes.items import pass_all
from jackfield.api.workflows import Node


class PassingNode:
    """A node whose output is its input: triggers get their items from what started them."""

    effect = False

    def __init__(
        self,
        kind: str,
        versions: Sequence[float],
        description: NodeDescription,
        model: type[NodeParameters] = NoParameters,
    ) -> None:
        self.kind = kind
        self.versions = versions
        self.description = description
        self._model = model

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._model

    def outputs(self, node: Node) -> int:
        return len(self.description.outputs)

    async def execute(self, run: NodeRun) -> NodeResult:
        return pass_all(run.items)
