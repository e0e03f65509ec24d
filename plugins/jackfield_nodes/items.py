"""How nodes make items."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.workflows import BinaryData, Item, Items, Outputs


def passed_on(item: Item, index: int) -> Item:
    """The input item again, paired with itself. Shares its data with the given one."""
    passed: Item = {"json": item["json"], "pairedItem": {"item": index}}
    if "binary" in item:
        passed["binary"] = item["binary"]
    return passed


def pass_all(items: Items) -> Outputs:
    """Every input item on the only output."""
    return [[passed_on(item, index) for index, item in enumerate(items)]]


def error_item(error: NodeError, index: int) -> Item:
    """What stands for an item that failed when the node goes on after errors."""
    return {"json": {"error": error.message}, "pairedItem": {"item": index}}


def goes_on(run: NodeRun) -> bool:
    """Whether the node goes on with its other items after one failed."""
    return run.node.on_error != "stopWorkflow"


def binary_of(item: Item, name: str, index: int) -> BinaryData:
    """The file of this name. Raises `NodeError` that lists the files there are."""
    files: Mapping[str, BinaryData] = item.get("binary") or {}
    if name not in files:
        known = ", ".join(files) or "none"
        raise NodeError(f"Item {index} has no binary field '{name}'; it has: {known}.", item=index)
    return files[name]


def as_json_object(value: object) -> dict[str, Json] | None:
    """The value when it is an object, else None."""
    return value if isinstance(value, dict) else None
