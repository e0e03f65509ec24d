"""Items that a node makes: which input items they come from, and what stands for an item that failed.

An item is paired with the input items that it comes from, so that expressions of later nodes find their way back. An
item without pairing is paired by the engine where that is unambiguous.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..binary import BinaryError
from ..jsontext import Json
from ..workflows import BinaryData, Item, Items, Outputs, PairedItem
from .types import NodeError, NodeRun


def pair(index: int, source: int = 0) -> PairedItem:
    """The item at `index` of the input `source`; the first input goes without saying."""
    return {"item": index, "input": source} if source else {"item": index}


def pairs(indices: Iterable[int], source: int = 0) -> list[PairedItem]:
    """Several items of one input."""
    return [pair(index, source) for index in indices]


def all_pairs(inputs: Sequence[Items]) -> list[PairedItem]:
    """Every item of every input."""
    return [pair(index, source) for source, items in enumerate(inputs) for index in range(len(items))]


def new_item(
    json: dict[str, Json],
    origin: int | PairedItem | list[PairedItem],
    files: dict[str, BinaryData] | None = None,
) -> Item:
    """An item of a node's own. origin: the index of the input item that it comes from, or what the functions above
    give. files: by field; none leaves the item without."""
    made: Item = {"json": json, "pairedItem": {"item": origin} if isinstance(origin, int) else origin}
    if files:
        made["binary"] = files
    return made


def new_items(rows: Iterable[dict[str, Json]], index: int) -> Items:
    """An item per row, all of them from one input item."""
    return [{"json": row, "pairedItem": {"item": index}} for row in rows]


def passed_on(item: Item, index: int, source: int = 0) -> Item:
    """An input item again, paired with itself. Shares its data with the given one."""
    passed: Item = {"json": item["json"], "pairedItem": {"item": index, "input": source} if source else {"item": index}}
    if "binary" in item:
        passed["binary"] = item["binary"]
    return passed


def pass_all(items: Items) -> Outputs:
    """Every input item on the only output."""
    return [[passed_on(item, index) for index, item in enumerate(items)]]


def with_json(item: Item, json: dict[str, Json], index: int) -> Item:
    """An input item with other fields; it keeps its files."""
    made: Item = {"json": json, "pairedItem": {"item": index}}
    if item.get("binary"):
        made["binary"] = item["binary"]
    return made


def goes_on(run: NodeRun) -> bool:
    """Whether the node goes on with its other items after one failed."""
    return run.node.on_error != "stopWorkflow"


def error_item(error: NodeError, index: int) -> Item:
    """Stands for an item that failed when the node goes on after errors. Where the node has an error output, the engine
    moves it there, merged with the input item."""
    return {"json": {"error": error.message}, "pairedItem": {"item": index}}


def accepted(run: NodeRun, error: NodeError | BinaryError, index: int) -> NodeError:
    """The error of this input item, when the node goes on after errors. Raises it otherwise, with the item's index."""
    if isinstance(error, BinaryError):
        error = NodeError(error.message)
    error.item = index
    if goes_on(run):
        return error
    raise error from None
