"""The node Kiln."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeRun, NodeType
from jackfield.api.nodes.items import with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import Ui
from jackfield.api.workflows import Item, Items


class KilnParameters(NodeParameters):
    """Parameters of the Kiln node. A browser that lacks the control shows the number that `Ui` names beside it."""

    heat: Annotated[int, Ui(control="number", label="Heat", options={"extension": "kilns/heat"})] = Field(
        900, ge=0, le=1300, description="In degrees Celsius."
    )


class KilnNode(ItemNode):
    """Fires each item."""

    kind = "kiln"
    versions: Sequence[float] = (1.0,)
    description = NodeDescription("Kiln", "Fires each item.", "transform", icon="kilns/oven")
    model = KilnParameters

    async def item(self, run: NodeRun, parameters: KilnParameters, item: Item, index: int) -> Items:
        return [with_json(item, {**item["json"], "heat": parameters.heat}, index)]


def nodes(context: PluginContext) -> Sequence[NodeType]:
    return [KilnNode(context)]
