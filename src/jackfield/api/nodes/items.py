"""Items that a node makes: which input items they come from, and what stands for an item that failed.

An item is paired with the input items that it comes from, so that expressions of later nodes find their way back. An
item without pairing is paired by the engine where that is unambiguous.

Below stands the engine's side of it, for whatever runs nodes: what a node is given, and what becomes of the items that
it gave. Items are never changed; what differs is a new item around the same data. So an item that passes unchanged is
one object in all that it passes: a node's output, the next node's input, and what that gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from ..binary import BinaryError
from ..expressions import references_of
from ..jsontext import Json
from ..records import record
from ..workflows import BinaryData, Item, Items, Node, Outputs, PairedItem
from .types import NodeError, NodeResult, NodeRun, NodeUnavailable

LONG = 5_000
"""From that many items on, work on all of them takes the event loop for too long."""


_FEW = 16
"""Items of which each is looked at for what makes it long; their fields likewise."""
_LONG_TEXT = 1_000_000
"""Characters."""


class _Compact:
    """Dictionaries of instances share their keys, and take half of the memory of others."""

    if TYPE_CHECKING:
        json: dict[str, Json]
        item: int
        input: int
        pairedItem: PairedItem | list[PairedItem]  # noqa: N815 - the item's key


class _CompactPair(_Compact):
    """`{item}`"""


class _CompactOtherPair(_Compact):
    """`{item, input}`"""


class _CompactItem(_Compact):
    """`{json, pairedItem}`"""


def compact_pair(index: int, source: int = 0) -> PairedItem:
    """As `pair`, for long lists."""
    made = _CompactOtherPair() if source else _CompactPair()
    made.item = index
    if source:
        made.input = source
    return cast("PairedItem", made.__dict__)


def compact_item(json: dict[str, Json], pairing: PairedItem | list[PairedItem]) -> Item:
    """An item without files, for long lists."""
    made = _CompactItem()
    made.json = json
    made.pairedItem = pairing
    return cast("Item", made.__dict__)


def own_pair(item: Item, index: int, source: int = 0) -> PairedItem:
    """The pairing with the item at `index` of the input `source`: the one that the engine gave this item, so that it is
    there once."""
    if source:
        return item["pairedItem"] if _is_at_other(item, index, source) else pair(index, source)  # type: ignore[return-value]
    return item["pairedItem"] if _is_at(item, index) else {"item": index}  # type: ignore[return-value]  # it is one


def _is_at(item: Item, index: int) -> bool:
    """Whether the item is paired with this place of the first input, in the form that the engine gives pairings."""
    pairing = item.get("pairedItem")
    if type(pairing) is not dict or len(pairing) != 1:
        return False
    found = pairing.get("item")
    return found == index and type(found) is int


def _is_at_other(item: Item, index: int, source: int) -> bool:
    """The same for another input than the first."""
    pairing = item.get("pairedItem")
    if type(pairing) is not dict or len(pairing) != 2:
        return False
    found, given = pairing.get("item"), pairing.get("input")
    return found == index and given == source and type(found) is int and type(given) is int


def pair(index: int, source: int = 0) -> PairedItem:
    """The item at `index` of the input `source`; the first input goes without saying."""
    return {"item": index, "input": source} if source else {"item": index}


def pair_of_run(index: int, run: int) -> PairedItem:
    """The item at `index` that the first input got in the node's run `run`, which is not the current one."""
    return {"item": index, "run": run}


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
    """An item of a node's own.

    `origin`: the index of the input item that it comes from, or what the functions above give. `files`: by field. None
    leaves the item without.
    """
    made = compact_item(json, {"item": origin} if isinstance(origin, int) else origin)
    if files:
        made["binary"] = files
    return made


def new_items(rows: Iterable[dict[str, Json]], index: int) -> Items:
    """An item per row, all of them from one input item."""
    origin = pair(index)
    return [compact_item(row, origin) for row in rows]


def passed_on(item: Item, index: int, source: int = 0) -> Item:
    """An input item again, paired with itself: the same one where it says all of that already, else one around the same
    data. Its other contents, such as an error, stay behind.
    """
    is_own = _is_at_other(item, index, source) if source else _is_at(item, index)
    if is_own and len(item) == (3 if "binary" in item else 2):
        return item
    passed = compact_item(item["json"], own_pair(item, index, source))
    if "binary" in item:
        passed["binary"] = item["binary"]
    return passed


def pass_all(items: Items) -> Outputs:
    """Every input item on the only output."""
    return [[passed_on(item, index) for index, item in enumerate(items)]]


def with_json(item: Item, json: dict[str, Json], index: int) -> Item:
    """An input item with other fields; it keeps its files."""
    made = compact_item(json, own_pair(item, index))
    if item.get("binary"):
        made["binary"] = item["binary"]
    return made


def with_pair(item: Item, origin: int | PairedItem | list[PairedItem]) -> Item:
    """An item that somebody else made, such as a script or another workflow; its own pairing stays. origin: see
    `new_item`."""
    if "pairedItem" in item:
        return item
    if len(item) == 1:
        return compact_item(item["json"], {"item": origin} if isinstance(origin, int) else origin)
    return repaired(item, origin)


def repaired(item: Item, origin: int | PairedItem | list[PairedItem]) -> Item:
    """The item with this pairing in its own place. Shares its data with the given one."""
    return {**item, "pairedItem": {"item": origin} if isinstance(origin, int) else origin}


def without_pair(item: Item) -> Item:
    """The item for the engine to pair."""
    return {key: value for key, value in item.items() if key != "pairedItem"}  # type: ignore[return-value]


def origins_of(item: Item) -> list[PairedItem]:
    """The input items that an item of a node's own comes from."""
    pairing = item.get("pairedItem", [])
    if isinstance(pairing, list):
        return pairing
    return [{"item": pairing} if isinstance(pairing, int) else pairing]


def goes_on(run: NodeRun) -> bool:
    """Whether the node goes on with its other items after one failed."""
    return run.node.on_error != "stopWorkflow"


def has_error_output(run: NodeRun) -> bool:
    """Whether items that failed leave the node at their own output."""
    return run.node.on_error == "continueErrorOutput"


def error_item(error: NodeError, index: int) -> Item:
    """Stands for an item that failed when the node goes on after errors. Where the node has an error output, the engine
    moves it there, merged with the input item."""
    return {"json": {"error": error.message}, "pairedItem": {"item": index}}


def all_failed(run: NodeRun, error: NodeError) -> Items:
    """An error item for every input item, when the node goes on after errors. Raises the error otherwise."""
    if not goes_on(run):
        raise error
    return [error_item(error, index) for index in range(len(run.items))]


def unpaired_error(error: NodeError) -> Item:
    """Stands for a node that failed with all of its items and has one item to say so. The engine pairs it."""
    return {"json": {"error": error.message}}


def accepted(run: NodeRun, error: NodeError | BinaryError, index: int) -> NodeError:
    """The error of this input item, when the node goes on after errors. Raises it otherwise, with the item's index."""
    if isinstance(error, BinaryError):
        error = NodeError(error.message)
    error.item = index
    if goes_on(run):
        return error
    raise error from None


# -- the engine's side


@record
class NodeInputs:
    """The inputs of one run of a node.

    `inputs`: per input, items whose `pairedItem` is their own place (`entered`). `seen`: those that the node is given.
    `run`: how often the node ran before. `error_output`: where the items go that failed, None when the node has no such
    output.
    """

    node: Node
    inputs: list[Items]
    seen: list[Items]
    run: int
    error_output: int | None


def entered(items: Items, index: int) -> Items:
    """The items as an input hands them on: each paired with its own place. One that is so already is not copied."""
    if index == 0:
        make = _entered if len(items) > LONG else _entered_one
        return [item if _is_at(item, place) else make(item, place, 0) for place, item in enumerate(items)]
    if len(items) > LONG:
        return [_entered(item, place, index) for place, item in enumerate(items)]
    return [_entered_one(item, place, index) for place, item in enumerate(items)]


def _entered_one(item: Item, place: int, index: int) -> Item:
    return {**item, "pairedItem": {"item": place, "input": index} if index else {"item": place}}


def _entered(item: Item, place: int, index: int) -> Item:
    """As little memory as may be."""
    made = compact_item(item["json"], compact_pair(place, index))
    if len(item) > len(made):
        made |= {name: value for name, value in item.items() if name not in made}  # type: ignore[typeddict-item]
    return made


def seen_items(node: Node, inputs: list[Items]) -> list[Items]:
    """The items of its inputs that the node gets: with `executeOnce` the first item of each."""
    return [items[:1] for items in inputs] if node.execute_once else inputs


def is_long(outputs: Outputs) -> bool:
    """Whether work on all of it would hold the event loop: many items, or a long list or text in one of few. A node may
    have given anything."""
    count = 0
    try:
        for items in outputs:
            count += len(items)
    except TypeError:
        return False
    if count > _FEW:
        return count > LONG
    for items in outputs:
        for item in items:
            if _is_large(item):
                return True
    return False


def _is_large(item: object) -> bool:
    """Loops rather than generators, here and above: this is asked of every node run."""
    json = item.get("json") if type(item) is dict else None
    if type(json) is not dict:
        return False
    if len(json) > _FEW:
        return len(json) > LONG or any(_has_length(value) for value in islice(json.values(), _FEW))
    for value in json.values():  # noqa: SIM110 - a generator costs more
        if _has_length(value):
            return True
    return False


def _has_length(value: Any) -> bool:  # Any: whatever a node gave
    kind = type(value)
    if kind is str:
        return len(value) > _LONG_TEXT
    return (kind is dict or kind is list) and len(value) > LONG


def has_files(outputs: Outputs) -> bool:
    """Whether an item carries files."""
    for items in outputs:
        for item in items:
            if "binary" in item:
                return True
    return False


def finished_outputs(given: NodeInputs, outputs: Outputs) -> Outputs:
    """The outputs of a node that ran: checked, error items on their own output, paired, filled when nothing came.

    Raises `NodeError` when they are not lists of items.
    """
    unpaired, errors = _looked_through(outputs)
    if given.error_output is not None:
        return pinned_outputs(given, errors_apart(given, outputs, given.error_output))
    if unpaired:
        outputs = paired_outputs(given.inputs, outputs)
    if given.node.always_output_data and not (outputs and outputs[0]):
        outputs = stand_in(given, outputs)
    return plain_errors(outputs) if errors else outputs


def pinned_outputs(given: NodeInputs, outputs: Outputs) -> Outputs:
    """The same for outputs that are data of the workflow."""
    outputs = paired_outputs(given.inputs, outputs)
    if given.node.always_output_data and not (outputs and outputs[0]):
        outputs = stand_in(given, outputs)
    return plain_errors(outputs)


def stand_in(given: NodeInputs, outputs: Outputs) -> Outputs:
    """The outputs with an item on the first, which stands for everything that came in."""
    return [[{"json": {}, "pairedItem": all_pairs(given.inputs)}], *outputs[1:]]


def check_outputs(outputs: Outputs) -> None:
    """Whether a node gave what it has to. Raises `NodeUnavailable`."""
    _looked_through(outputs)


def _looked_through(outputs: Outputs) -> tuple[bool, bool]:
    """Whether an item says nothing of its pairing, and whether one carries an error. One look at each item: a long
    list is in no cache of the processor. Raises `NodeUnavailable` when the outputs are not lists of items."""
    unpaired = errors = False
    if type(outputs) is not list:
        raise NodeUnavailable("The node gave no list of outputs; this is a mistake in its type.")
    for items in outputs:
        if type(items) is not list:
            raise NodeUnavailable("The node gave an output that is no list; this is a mistake in its type.")
        for item in items:
            if type(item) is not dict or type(item.get("json")) is not dict:
                raise NodeUnavailable(
                    "The node gave an item without an object under json; this is a mistake in its type."
                )
            if "pairedItem" not in item:
                unpaired = True
            if "error" in item or "$error" in item["json"]:
                errors = True
    return unpaired, errors


def paired_outputs(inputs: list[Items], outputs: Outputs) -> Outputs:
    """Pair items that say nothing.

    They pair with the only input item, or by index where one output has as many as the input. The only item of the only
    output pairs with the first.
    """
    if not _lacks_pairing(outputs) or len(inputs) != 1:
        return outputs
    if len(inputs[0]) == 1 or (len(outputs) == 1 and len(outputs[0]) == 1 and inputs[0]):
        return [[with_pair(item, 0) for item in items] for items in outputs]
    if len(outputs) == 1 and len(outputs[0]) == len(inputs[0]):
        both = enumerate(zip(outputs[0], inputs[0], strict=True))
        return [[with_pair(item, own_pair(given, index)) for index, (item, given) in both]]
    return outputs


def _lacks_pairing(outputs: Outputs) -> bool:
    for items in outputs:
        for item in items:
            if "pairedItem" not in item:
                return True
    return False


def failed_outputs(given: NodeInputs, error: NodeError) -> Outputs:
    """The outputs of a node that failed as a whole and whose workflow goes on: its input items, as in n8n. Error items
    where the daemon could not do the node's work at all."""
    if not isinstance(error, NodeUnavailable):
        return plain_errors([given.inputs[0] if given.inputs else []])
    outputs = [[error_item(error, index) for index in range(len(given.seen[0]) if given.seen else 0)]]
    return outputs if given.error_output is None else errors_apart(given, outputs, given.error_output)


def failed_first(result: NodeResult) -> bool:
    """Whether the first item that a node gave tells of an error. A node may have given anything."""
    if type(result) is not list or not result or type(result[0]) is not list or not result[0]:
        return False
    json = result[0][0].get("json")
    return type(json) is dict and json.get("error") not in (None, False)


def errors_apart(given: NodeInputs, outputs: Outputs, error_output: int) -> Outputs:
    """Move the items that carry an error to the last output, merged with the input item that they are paired with. A
    node without another output loses its items."""
    kept: Outputs = [[] for _ in range(error_output)]
    errors: Items = []
    for index, items in enumerate(outputs[:error_output]):
        for item in items:
            if carries_error(item):
                errors.append(_merged(given, item))
            else:
                kept[index].append(item)
    return [*kept, errors]


_OF_ERRORS = frozenset(("error", "message", "details"))
"""The fields of an item that tells of nothing but its error."""


def carries_error(item: Item) -> bool:
    """Whether an item stands for a failure: it carries an error, or its json is only one."""
    if item.get("error"):
        return True
    json = item["json"]
    return bool(json.get("error")) and json.keys() <= _OF_ERRORS


def plain_errors(outputs: Outputs) -> Outputs:
    """The outputs with nothing but the message in the json of items that carry an error."""
    for items in outputs:
        for item in items:
            if "error" in item or "$error" in item["json"]:
                return [[_plain_error(item) for item in items] for items in outputs]
    return outputs


def _plain_error(item: Item) -> Item:
    json = item["json"]
    if "$error" in json and "$json" in json:
        error = json["$error"]
        item = {**item, "error": error}
    elif "error" not in item:
        return item
    error = item["error"]
    message = error.get("message") if isinstance(error, dict) else None
    return {**item, "json": {} if message is None else {"error": message}}


def _merged(given: NodeInputs, item: Item) -> Item:
    source = _paired_input(given, item)
    return item if source is None else {**item, "json": {**source["json"], **item["json"]}}


def _paired_input(given: NodeInputs, item: Item) -> Item | None:
    references = references_of(item.get("pairedItem"))
    if len(references) != 1:
        return None
    place, index, run = references[0]
    if run not in (None, given.run):
        return None
    if index < len(given.inputs) and place < len(given.inputs[index]):
        return given.inputs[index][place]
    return None
