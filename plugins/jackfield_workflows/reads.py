"""What is read of an execution's data, and handing over no more than that. `reading` finds it in sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Item

Fields: TypeAlias = "dict[str, Fields] | None"
"""Fields of an object, each with those read of its value; None: all."""


@record
class NodeReads:
    """What is read of another node. fields: of its items' `json`; paired: only the items that `.item` gives."""

    fields: Fields
    paired: bool


@record
class Reads:
    """item: the fields of the input items' `json`; whole_items: their other parts and all of `json` too; nodes: by
    name; everything: a name is computed, so that it may be any node; pairs: whether `.item` and the like occur."""

    item: Fields = field(default_factory=dict)
    whole_items: bool = False
    nodes: Mapping[str, NodeReads] = field(default_factory=dict)
    everything: bool = False
    pairs: bool = False
    parameters: bool = False


def projected(value: Json, fields: Fields) -> Json:
    """The value with these fields only; a list, and whatever has no fields, is left whole."""
    if fields is None or type(value) is not dict:
        return value
    return {name: projected(value[name], below) for name, below in fields.items() if name in value}


def projected_item(item: Item, fields: Fields) -> Item:
    """The item with these fields of its `json` and nothing else."""
    return {"json": projected(item["json"], fields)}  # type: ignore[typeddict-item]  # an object like the item's own
