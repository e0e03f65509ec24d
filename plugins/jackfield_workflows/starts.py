"""Where an execution that nobody triggered starts, and with which items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, entry_items
from jackfield.api.workflows import Item, Items, Node, Workflow
from jackfield_workflows.activation.trigger_calls import TriggerCalls

_NEVER = frozenset({"stickyNote"})


def start_node(workflow: Workflow, catalog: NodeCatalog, until: str = "") -> str:
    """The manual trigger, else another trigger, else the sub-workflow's or the error trigger, else the first node that
    nothing leads to. It is never one that only serves another. `until`: only among this node and those that lead to it.
    Raises `InvalidInput` when there is no node at all.
    """
    never = workflow.parts()
    wanted = leading(workflow, until) if until else workflow.nodes.keys()
    enabled = (node for node in workflow.nodes.values() if not node.disabled and node.kind not in _NEVER)
    nodes = [node for node in enabled if node.name not in never and node.name in wanted]
    reached = {wire.node for outputs in workflow.wires.values() for targets in outputs for wire in targets}
    choices: Sequence[Callable[[Node], bool]] = (
        lambda node: node.kind in ("manualTrigger", "start"),
        lambda node: node.kind == "webhook",
        lambda node: _is_trigger(node, catalog) and node.kind not in ("executeWorkflowTrigger", "errorTrigger"),
        lambda node: node.kind == "executeWorkflowTrigger",
        lambda node: node.kind == "errorTrigger",
        lambda node: node.name not in reached,
        lambda node: True,
    )
    for fits in choices:
        for node in nodes:
            if fits(node):
                return node.name
    raise InvalidInput("The workflow has no node to start at; add one.", details={"nodes": "there is no enabled node"})


def chosen_end(workflow: Workflow, name: str | None) -> str:
    """The node of this name; empty when none is named. Raises `InvalidInput` for one that does not run in turn."""
    if not name:
        return ""
    node = workflow.nodes.get(name)
    if node is None or node.kind in _NEVER or name in workflow.parts():
        message = "There is no node with this name that runs in turn."
        raise InvalidInput(f"The workflow cannot run to {name[:100]}.", details={"until": message})
    return name


def chosen_start(workflow: Workflow, name: str | None, catalog: NodeCatalog, until: str = "") -> str:
    """The node of this name, else `start_node`. Raises `InvalidInput` when there is no such node."""
    if not name:
        return start_node(workflow, catalog, until)
    if name not in workflow.nodes:
        known = ", ".join(list(workflow.nodes)[:20])
        raise InvalidInput(f"There is no node {name[:100]} to start at.", details={"start": f"give one of: {known}"})
    return name


def leading(workflow: Workflow, until: str) -> set[str]:
    """The node and all from which wires lead to it."""
    found = {until}
    size = 0
    while size < len(found):
        size = len(found)
        for source, outputs in workflow.wires.items():
            if any(wire.node in found for targets in outputs for wire in targets):
                found.add(source)
    return found


async def start_items(
    context: PluginContext, workflow: Workflow, start: str, given: Items | None, execution_id: str
) -> Items:
    """The items that the node makes of the given ones, else its pinned items, else those that it makes by itself.

    Else the items that its trigger fetches (files under this execution's id), else one empty item. Raises
    `JackfieldError`.
    """
    catalog = context.port(NodeCatalog)
    if given:
        return entry_items(workflow, start, given, catalog) or given
    known = workflow.pin_data.get(start) or entry_items(workflow, start, None, catalog)
    if known:
        return known
    fetched = await context.port(TriggerCalls).by_hand(workflow, workflow.nodes[start], execution_id)
    return [{"json": {}}] if fetched is None else fetched


def read_items(body: Json, path: str = "") -> Items | None:
    """Items of a request: `[{json}]` or `{inputData: [{json}]}`; None when it names none. Raises `InvalidInput`."""
    if isinstance(body, dict):
        unknown = next((key for key in body if key != "inputData"), None)
        if unknown is not None:
            raise _wrong(unknown[:100], "send a list of items, or {inputData: [items]}")
        return read_items(body["inputData"], "inputData") if body.get("inputData") is not None else None
    if not isinstance(body, list):
        raise _wrong(path or "body", "send a list of items such as [{json: {...}}]")
    return [
        cast("Item", item) if _is_plain(item) else _item(item, f"{path}[{index}]") for index, item in enumerate(body)
    ]


def _is_plain(value: Json) -> bool:
    """Whether it is an item as it is: the request's own, nobody else has it."""
    return type(value) is dict and len(value) == 1 and type(value.get("json")) is dict


def _item(value: Json, path: str) -> Item:
    if not isinstance(value, dict) or not isinstance(value.get("json"), dict):
        raise _wrong(path, "an item is an object with an object under json")
    item: Item = {"json": value["json"]}  # type: ignore[typeddict-item]
    binary = value.get("binary")
    if binary is not None:
        if not isinstance(binary, dict) or not all(_is_file(file) for file in binary.values()):
            raise _wrong(f"{path}.binary", "a file is an object with the texts data (base64) and mimeType")
        item["binary"] = binary  # type: ignore[typeddict-item]
    return item


def _is_file(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), str) and isinstance(value.get("mimeType"), str)


def _wrong(path: str, message: str) -> InvalidInput:
    return InvalidInput("The input data does not have the expected form.", details={path: message})


def _is_trigger(node: Node, catalog: NodeCatalog) -> bool:
    """A node type that is not installed is a trigger when its name says so, as all of n8n's do."""
    found = catalog.find(node.kind)
    return found.description.trigger if found is not None else node.kind.lower().endswith("trigger")
