"""Which input items an item comes from, as `pairedItem` says it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jackfield.api.workflows import Item, Items, PairedItem


def pair(index: int, source: int = 0) -> PairedItem:
    """The item at `index` of the input `source`; the first input goes without saying."""
    return {"item": index, "input": source} if source else {"item": index}


def pairs(indices: Iterable[int], source: int = 0) -> list[PairedItem]:
    """Several items of one input."""
    return [pair(index, source) for index in indices]


def all_pairs(inputs: Sequence[Items]) -> list[PairedItem]:
    """Every item of every input."""
    return [pair(index, source) for source, items in enumerate(inputs) for index in range(len(items))]


def handed_on(item: Item, index: int, source: int = 0) -> Item:
    """An input item again. Shares its data with the given one."""
    made: Item = {"json": item["json"], "pairedItem": pair(index, source)}
    if item.get("binary"):
        made["binary"] = item["binary"]
    return made
