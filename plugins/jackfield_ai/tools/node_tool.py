"""Any node as a tool: the model gives what its parameters ask for with `$fromAI`, and gets the items that it makes."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.ai import ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode
from jackfield.api.workflows import Item, Items
from jackfield_ai.tools.from_ai import schema_in


class NodeTool:
    """`Tool` of a node that knows nothing of tools."""

    def __init__(self, node: AttachedNode, item: int) -> None:
        self._node = node
        self._item = item
        self.spec = ToolSpec(node.node.name, _description(node), schema_in(node.node.parameters))

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        outputs = await self._node.execute(self._item, arguments)
        return told(outputs[0] if outputs else [])


def _description(node: AttachedNode) -> str:
    """The description of the author, else that of the parameters."""
    given = node.node.parameters
    written = given.get("toolDescription")
    if isinstance(written, str) and written.strip() and given.get("descriptionType", "manual") != "auto":
        return written.removeprefix("=")
    described = node.type.description
    what = [value for name in ("operation", "resource") if isinstance(value := given.get(name), str) and value]
    return f"{described.display_name}: {' '.join(what)}. {described.summary}" if what else described.summary


def told(items: Items) -> Json:
    """The items as a model sees them: their JSON, and the names of their files."""
    rows = [_row(item) for item in items]
    return rows[0] if len(rows) == 1 else list(rows)


def _row(item: Item) -> Json:
    files = item.get("binary")
    if not files:
        return item["json"]
    return {**item["json"], "files": [file.get("fileName") or name for name, file in files.items()]}
