"""What becomes of the items that a node gave or took: pairing, error items, empty outputs. Pure functions.

Source: facts/workflow-service.md section 2.2. Items are never changed; what differs is a new item around the same data.
"""

from __future__ import annotations

from jackfield.api.expressions import references_of
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Item, Items, Outputs, PairedItem
from jackfield_engine.loop.tasks import Task


def entered(items: Items, index: int) -> Items:
    """The items as an input hands them on: each paired with its own place."""
    if index == 0:
        return [{**item, "pairedItem": {"item": place}} for place, item in enumerate(items)]
    return [{**item, "pairedItem": {"item": place, "input": index}} for place, item in enumerate(items)]


def normal(task: Task, outputs: Outputs) -> Outputs:
    """The outputs of a node that ran: checked, paired, error items on their own output, filled when nothing came.

    Raises `NodeError` when they are not lists of items.
    """
    check(outputs)
    outputs = paired(task.seen, outputs)
    if task.step.error_output is not None:
        outputs = errors_apart(task, outputs, task.step.error_output)
    if task.step.node.always_output_data and not any(outputs):
        outputs = [[{"json": {}, "pairedItem": _all_inputs(task)}], *outputs[1:]]
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


def _all_inputs(task: Task) -> list[PairedItem]:
    return [
        {"item": place, "input": index} if index else {"item": place}
        for index, items in enumerate(task.inputs)
        for place in range(len(items))
    ]


def failed(task: Task, message: str) -> Outputs:
    """The outputs of a node that failed and whose workflow goes on: its input items with the error."""
    items = task.inputs[0] if task.inputs and task.inputs[0] else [Item(json={})]
    carrying = [_carrying(item, message) for item in items]
    output = task.step.error_output or 0
    return [*([] for _ in range(output)), carrying]


def _carrying(item: Item, message: str) -> Item:
    return {**item, "json": {**item["json"], "error": message}, "error": {"message": message}}


def errors_apart(task: Task, outputs: Outputs, error_output: int) -> Outputs:
    """Move the items that carry an error to the last output, merged with the input item that they are paired with."""
    kept: Outputs = [[] for _ in range(max(error_output, 0))]
    errors: Items = []
    for index, items in enumerate(outputs):
        for item in items:
            if is_error(item):
                errors.append(_merged(task, item))
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


def _merged(task: Task, item: Item) -> Item:
    given = _paired_input(task, item)
    return item if given is None else {**item, "json": {**given["json"], **item["json"]}}


def _paired_input(task: Task, item: Item) -> Item | None:
    references = references_of(item.get("pairedItem"))
    if len(references) != 1:
        return None
    place, index, run = references[0]
    if run not in (None, task.run):
        return None
    if index < len(task.inputs) and place < len(task.inputs[index]):
        return task.inputs[index][place]
    return None
