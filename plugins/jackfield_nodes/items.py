"""How nodes make items."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import passed_on
from jackfield.api.workflows import BinaryData, Item, Items, Outputs


def pass_all(items: Items) -> Outputs:
    """Every input item on the only output."""
    return [[passed_on(item, index) for index, item in enumerate(items)]]


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
