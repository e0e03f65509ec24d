"""What an engine makes of the items that a node gave or took: pairing, error items, empty outputs. Pure functions.

The embedded engine has the same in its run loop; a contract test of both compares what they give. Items are never
changed; what differs is a new item around the same data.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from ..api.expressions import references_of
from ..api.history import stored_json
from ..api.jsontext import depth_exceeds
from ..api.nodes import NodeError
from ..api.nodes.items import all_pairs
from ..api.workflows import Item, Items, Node, Outputs

MAX_DEPTH = 250


class NodeInputs(NamedTuple):
    """What one run of a node takes. inputs: per input, items whose `pairedItem` is their own place (`entered`); run:
    how often the node ran before; error_output: the index of its error output, None when it has none."""

    node: Node
    inputs: list[Items]
    run: int = 0
    error_output: int | None = None


def seen_items(node: Node, inputs: list[Items]) -> list[Items]:
    """The items that the node is given: the first of each input with `executeOnce`."""
    return [items[:1] for items in inputs] if node.execute_once else inputs


def entered(items: Items, index: int) -> Items:
    """The items as an input hands them on: each paired with its own place."""
    if index == 0:
        return [{**item, "pairedItem": {"item": place}} for place, item in enumerate(items)]
    return [{**item, "pairedItem": {"item": place, "input": index}} for place, item in enumerate(items)]


def normal(given: NodeInputs, outputs: Outputs) -> Outputs:
    """The outputs of a node that ran: checked, paired, error items on their own output, filled when nothing came.

    Raises `NodeError` when they are not lists of items.
    """
    check(outputs)
    outputs = paired(seen_items(given.node, given.inputs), outputs)
    if given.error_output is not None:
        outputs = errors_apart(given, outputs, given.error_output)
    if given.node.always_output_data and not any(outputs):
        outputs = [[{"json": {}, "pairedItem": all_pairs(given.inputs)}], *outputs[1:]]
    return outputs


def check(outputs: Outputs) -> None:
    """Whether a node gave what it has to. Raises `NodeError`."""
    if type(outputs) is not list:
        raise NodeError("The node gave no list of outputs; this is a mistake in its type.")
    for items in outputs:
        if type(items) is not list:
            raise NodeError("The node gave an output that is no list; this is a mistake in its type.")
        for item in items:
            if type(item) is not dict or type(item.get("json")) is not dict:
                raise NodeError("The node gave an item without an object under json; this is a mistake in its type.")


def paired(inputs: list[Items], outputs: Outputs) -> Outputs:
    """Pair items that say nothing: with the only input item, or by index where one output has as many as the input."""
    if all("pairedItem" in item for items in outputs for item in items):
        return outputs
    if len(inputs) != 1:
        return outputs
    if len(inputs[0]) == 1:
        return [[_with_pair(item, 0) for item in items] for items in outputs]
    if len(outputs) == 1 and len(outputs[0]) == len(inputs[0]):
        return [[_with_pair(item, index) for index, item in enumerate(outputs[0])]]
    return outputs


def _with_pair(item: Item, index: int) -> Item:
    return item if "pairedItem" in item else {**item, "pairedItem": {"item": index}}


def stored(outputs: Outputs) -> Outputs:
    """The outputs as whoever reads the execution finds them: tuples are lists, keys are text, NaN is null, and what
    JSON does not know is its text. Raises `NodeError` for what cannot be kept."""
    try:
        kept: dict[str, Outputs] = orjson.loads(_encoded({"outputs": outputs}))
    except (TypeError, ValueError, RecursionError):
        raise NodeError("The node's output cannot be kept: it is nested too deeply or is not JSON data.") from None
    return kept["outputs"]


def _encoded(record: object) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:
        if depth_exceeds(record, MAX_DEPTH):
            raise
        return stored_json(record)


def failed(given: NodeInputs, message: str) -> Outputs:
    """The outputs of a node that failed and whose workflow goes on: its input items with the error."""
    items = given.inputs[0] if given.inputs and given.inputs[0] else [Item(json={})]
    carrying = [_carrying(item, message) for item in items]
    output = given.error_output or 0
    return [*([] for _ in range(output)), carrying]


def _carrying(item: Item, message: str) -> Item:
    return {**item, "json": {**item["json"], "error": message}, "error": {"message": message}}


def errors_apart(given: NodeInputs, outputs: Outputs, error_output: int) -> Outputs:
    """Move the items that carry an error to the last output, merged with the input item that they are paired with."""
    kept: Outputs = [[] for _ in range(max(error_output, 0))]
    errors: Items = []
    for index, items in enumerate(outputs):
        for item in items:
            if is_error(item):
                errors.append(_merged(given, item))
            elif index < error_output:
                kept[index].append(item)
            else:
                errors.append(item)
    return [*kept, errors]


def is_error(item: Item) -> bool:
    """Whether an item stands for a failure: it carries an error, or its json is only one."""
    if item.get("error"):
        return True
    json = item["json"]
    return bool(json.get("error")) and (len(json) == 1 or (len(json) == 2 and "message" in json))


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
