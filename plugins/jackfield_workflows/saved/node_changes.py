"""Whether a node does the same in two versions of a workflow."""

from __future__ import annotations

from collections.abc import Iterator

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Workflow

_LOOKS = frozenset({"id", "position", "notes", "notesInFlow", "color"})
"""Keys of a node that nothing runs by."""
_CALLERS = ("callerPolicy", "callerIds")
Source = tuple[str, str, int, int]
"""The kind of a wire, the node that it comes from, and the indices of its two ends."""


def same_node(after: Workflow, before: Workflow, name: str) -> bool:
    """Whether the node of this name is in both, and runs by the same."""
    if name not in before.nodes:
        return False
    return _what_runs(after, name) == _what_runs(before, name)


def leading_change(after: Workflow, before: Workflow, name: str) -> str:
    """The name of a node that leads to this one and differs, in itself or in its wires; empty when none does. A node
    leads to another by wires, as its part, and by being named in an expression."""
    now, then = _sources(after), _sources(before)
    seen: set[str] = set()
    open_names = [name]
    while open_names:
        current = open_names.pop()
        if current in seen:
            continue
        seen.add(current)
        changed = now.get(current) != then.get(current) or not same_node(after, before, current)
        if changed or after.pin_data.get(current) != before.pin_data.get(current):
            return current
        open_names += [source[1] for source in now.get(current, ()) if source[1] in after.nodes]
        open_names += named_nodes(after, current)
    return ""


def changed_callers(after: Workflow, before: Workflow) -> str:
    """The setting by which other workflows may run this one than before; empty when the same may."""
    now, then = _settings(after), _settings(before)
    return next((f"the setting {name}" for name in _CALLERS if now.get(name) != then.get(name)), "")


def has_expression(value: Json) -> bool:
    return any(text.startswith("=") for text in texts_of(value))


def _settings(workflow: Workflow) -> dict[str, Json]:
    found = workflow.document.get("settings")
    return found if isinstance(found, dict) else {}


def _what_runs(workflow: Workflow, name: str) -> dict[str, Json]:
    return {key: value for key, value in workflow.nodes[name].raw.items() if key not in _LOOKS}


def _sources(workflow: Workflow) -> dict[str, frozenset[Source]]:
    """Node -> what leads to it. A part and the node that it serves lead to each other."""
    found: dict[str, set[Source]] = {}
    for source, outputs in workflow.wires.items():
        for output, wires in enumerate(outputs):
            for wire in wires:
                found.setdefault(wire.node, set()).add(("main", source, output, wire.input))
    for served, parts in workflow.attached.items():
        for part in parts:
            found.setdefault(served, set()).add((part.kind, part.node, 0, part.index))
            found.setdefault(part.node, set()).add((part.kind, served, 0, part.index))
    return {name: frozenset(sources) for name, sources in found.items()}


def named_nodes(workflow: Workflow, name: str) -> Iterator[str]:
    """The nodes that the parameters of this one name: `$('Name')`, `$node["Name"]`, `$node.Name`."""
    texts = list(texts_of(dict(workflow.nodes[name].parameters)))
    for other in workflow.nodes:
        marks = (f"'{other}'", f'"{other}"', f"`{other}`", f"$node.{other}")
        if any(mark in text for text in texts for mark in marks):
            yield other


def texts_of(value: Json) -> Iterator[str]:
    """All texts in it, at whatever depth."""
    open_values = [value]
    while open_values:
        current = open_values.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            open_values += current.values()
        elif isinstance(current, list):
            open_values += current


def parts_of(workflow: Workflow, name: str) -> list[str]:
    """Names of the nodes that serve this one, and of those that serve them."""
    found: dict[str, None] = {}
    open_names = [name]
    while open_names:
        for part in workflow.attached.get(open_names.pop(), ()):
            if part.node not in found:
                found[part.node] = None
                open_names.append(part.node)
    return sorted(found)
