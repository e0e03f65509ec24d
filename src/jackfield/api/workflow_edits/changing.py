"""A document after some operations. The document that was given stays as it is."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from .. import jsontext
from ..errors import InvalidInput
from ..json_values import Json
from ..nodes.secret_values import MASK
from . import operations as ops
from .references import renamed

Document = dict[str, Any]  # JSON, whose lists and objects are changed in place here
_STEP = 220
"""Between a node and one that is added to its right, in the canvas's units."""


class EditRefused(InvalidInput):
    """The operation cannot be done; nothing was changed."""


def changed(document: Mapping[str, Json], operations: Sequence[ops.Operation]) -> Document:
    """Raises `EditRefused` that names the operation and what is wrong with it."""
    made = cast("Document", copy.deepcopy(dict(document)))
    for index, operation in enumerate(operations):
        try:
            _HOW[operation.op](made, operation)
        except EditRefused as exc:
            raise EditRefused(f"operations[{index}] ({operation.op}): {exc.message} Nothing was changed.") from None
    return made


def _nodes(document: Document) -> list[Document]:
    found = document.setdefault("nodes", [])
    return [node for node in found if isinstance(node, dict)] if isinstance(found, list) else []


def _node(document: Document, name: str) -> Document:
    for node in _nodes(document):
        if node.get("name") == name:
            return node
    names = ", ".join(str(node.get("name"))[:60] for node in _nodes(document)[:30])
    raise EditRefused(f"There is no node {name[:100]}; there are: {names}.")


def _wires(document: Document) -> dict[str, Document]:
    found = document.setdefault("connections", {})
    return cast("dict[str, Document]", found) if isinstance(found, dict) else {}


def _add(document: Document, operation: ops.AddNode) -> None:
    node = copy.deepcopy(operation.node)
    name, kind = node.get("name"), node.get("type")
    if not isinstance(name, str) or not name or not isinstance(kind, str) or not kind:
        raise EditRefused("A node needs a name and a type.")
    if any(other.get("name") == name for other in _nodes(document)):
        raise EditRefused(f"There is a node {name[:100]} already; choose another name, or use update_node.")
    node.setdefault("id", str(uuid.uuid4()))
    node.setdefault("parameters", {})
    node.setdefault("position", _place(document))
    document["nodes"].append(node)


def _place(document: Document) -> list[float]:
    """Right of the rightmost node."""
    places = [node.get("position") for node in _nodes(document)]
    known = [place for place in places if isinstance(place, list) and len(place) == 2]
    numbers = [place for place in known if all(isinstance(part, int | float) for part in place)]
    if not numbers:
        return [0, 0]
    last = max(numbers, key=lambda place: float(place[0]))
    return [last[0] + _STEP, last[1]]


def _update(document: Document, operation: ops.UpdateNode) -> None:
    node, changes = _node(document, operation.name), operation.changes
    if "name" in changes and changes["name"] != operation.name:
        raise EditRefused("Use rename_node for another name: it changes wires and expressions, too.")
    _merge(node, changes)


def _merge(target: Document, changes: Mapping[str, Any]) -> None:
    """RFC 7396."""
    for key, value in changes.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            inner = target.get(key)
            if not isinstance(inner, dict):
                inner = target[key] = {}
            _merge(inner, value)
        else:
            target[key] = copy.deepcopy(value)


def _remove(document: Document, operation: ops.RemoveNode) -> None:
    node, name = _node(document, operation.name), operation.name
    document["nodes"] = [other for other in document["nodes"] if other is not node]
    wires = _wires(document)
    wires.pop(name, None)
    for source in list(wires):
        _unwire(wires, source, lambda _kind, _output, target: target.get("node") == name)
    _pins(document).pop(name, None)


def _pins(document: Document) -> Document:
    found = document.get("pinData")
    return found if isinstance(found, dict) else {}


def _unwire(wires: dict[str, Document], source: str, goes: Callable[[str, int, Document], bool]) -> int:
    """Take away the wires of a source for which `goes` says so; how many there were."""
    count = 0
    kinds = wires.get(source)
    if not isinstance(kinds, dict):
        return 0
    for kind, outputs in list(kinds.items()):
        if not isinstance(outputs, list):
            continue
        for output, targets in enumerate(outputs):
            if not isinstance(targets, list):
                continue
            kept = [one for one in targets if not (isinstance(one, dict) and goes(kind, output, one))]
            count += len(targets) - len(kept)
            outputs[output] = kept
        if not any(outputs):
            del kinds[kind]
    if not kinds:
        del wires[source]
    return count


def _rename(document: Document, operation: ops.RenameNode) -> None:
    name, to = operation.name, operation.to
    node = _node(document, name)
    if to != name and any(other.get("name") == to for other in _nodes(document)):
        raise EditRefused(f"There is a node {to[:100]} already.")
    _refuse_masks(document, node, name)
    node["name"] = to
    wires = _wires(document)
    document["connections"] = {to if source == name else source: kinds for source, kinds in wires.items()}
    for kinds in document["connections"].values():
        for outputs in kinds.values() if isinstance(kinds, dict) else ():
            for target in (one for targets in outputs or () for one in targets or () if isinstance(one, dict)):
                if target.get("node") == name:
                    target["node"] = to
    pins = _pins(document)
    if name in pins:
        pins[to] = pins.pop(name)
    for other in _nodes(document):
        other["parameters"] = renamed(other.get("parameters", {}), name, to)


def _refuse_masks(document: Document, node: Document, name: str) -> None:
    """The store finds a secret that is shown as a mask by the node's id, without one by its name.

    In pinned data, it always goes by the name. Under another name it would be gone. Raises `EditRefused`.
    """
    if not node.get("id") and _holds_mask(node.get("parameters")):
        raise EditRefused(f"{name[:100]} has secrets and no id; give it one first: update_node with changes.id.")
    if _holds_mask(_pins(document).get(name)):
        raise EditRefused(f"The pinned data of {name[:100]} has secrets; take it away first with pin_data.")


def _holds_mask(value: Json) -> bool:
    return f'"{MASK}"' in jsontext.dumps(value).decode()


def _connect(document: Document, operation: ops.Connect) -> None:
    _node(document, operation.source)
    _node(document, operation.target)
    outputs = _wires(document).setdefault(operation.source, {}).setdefault(operation.kind, [])
    while len(outputs) <= operation.output:
        outputs.append([])
    targets = outputs[operation.output] = outputs[operation.output] or []
    wire = {"node": operation.target, "type": operation.kind, "index": operation.input}
    if wire not in targets:
        targets.append(wire)


def _disconnect(document: Document, operation: ops.Disconnect) -> None:
    def goes(kind: str, output: int, target: Document) -> bool:
        here = operation.output is None or output == operation.output
        return kind == operation.kind and here and target.get("node") == operation.target

    if not _unwire(_wires(document), operation.source, goes):
        raise EditRefused(f"No wire leads from {operation.source[:100]} to {operation.target[:100]} there.")


def _enable(document: Document, operation: ops.EnableNode) -> None:
    _node(document, operation.name).pop("disabled", None)


def _disable(document: Document, operation: ops.DisableNode) -> None:
    _node(document, operation.name)["disabled"] = True


def _settings(document: Document, operation: ops.SetSettings) -> None:
    found = document.get("settings")
    if not isinstance(found, dict):
        found = document["settings"] = {}
    _merge(found, operation.settings)


def _name(document: Document, operation: ops.SetName) -> None:
    document["name"] = operation.name


def _pin(document: Document, operation: ops.PinData) -> None:
    _node(document, operation.node)
    pins = document.get("pinData")
    if not isinstance(pins, dict):
        pins = document["pinData"] = {}
    if operation.items is None:
        pins.pop(operation.node, None)
    else:
        pins[operation.node] = copy.deepcopy(operation.items)


_HOW: Mapping[str, Callable[[Document, Any], None]] = {  # each takes the operation of its name
    "add_node": _add,
    "update_node": _update,
    "remove_node": _remove,
    "rename_node": _rename,
    "connect": _connect,
    "disconnect": _disconnect,
    "enable_node": _enable,
    "disable_node": _disable,
    "set_settings": _settings,
    "set_name": _name,
    "pin_data": _pin,
}
