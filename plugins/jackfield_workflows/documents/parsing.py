"""From the workflow document, n8n's JSON, to the parsed form.

Liberal with values, strict with structure. A document with another structure than a workflow is refused with json
paths. A merely odd value gets the value's default. The document itself stays as it is.
"""

from __future__ import annotations

from typing import cast

from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.workflows import Document, Item, Items, Node, Workflow, WorkflowSettings
from jackfield_workflows.documents.identities import MAX_NAME
from jackfield_workflows.documents.mistakes import Mistakes
from jackfield_workflows.documents.nodes import parse_node
from jackfield_workflows.documents.values import number, reference, text
from jackfield_workflows.documents.wires import links, parse_attached, parse_wires


def parse(document: Json, *, id: str | None = None, version: int = 0, active: bool = False) -> Workflow:
    """The parsed form. Raises `InvalidInput` with a json path per mistake, and nothing else.

    A document may lack anything: `name` becomes empty, nodes and connections too. Of nodes with the same name the first
    counts; wires to missing nodes are left out (`validation.problems` tells of both).
    """
    mistakes = Mistakes()
    if not isinstance(document, dict):
        mistakes.add("body", "A workflow must be an object.")
        document = {}
    nodes = _nodes(document, mistakes)
    found = list(links(_object(document, "connections", mistakes), mistakes))
    workflow = Workflow(
        id=id,
        name=_name(document, mistakes),
        version=version,
        active=active,
        nodes=nodes,
        wires=parse_wires(found, nodes),
        settings=_settings(_object(document, "settings", mistakes, null=True)),
        pin_data=_pin_data(_object(document, "pinData", mistakes, null=True)),
        document=document,
        attached=parse_attached(found, nodes),
    )
    mistakes.check()
    return workflow


def _name(document: Document, mistakes: Mistakes) -> str:
    name = document.get("name", "")
    if not isinstance(name, str):
        mistakes.add("name", "The name must be a text.")
        return ""
    if len(name) > MAX_NAME:
        mistakes.add("name", f"The name may have at most {MAX_NAME} characters.")
    return name


def _object(document: Document, key: str, mistakes: Mistakes, *, null: bool = False) -> dict[str, Json]:
    value = document.get(key, {})
    if isinstance(value, dict):
        return value
    if not (null and value is None):
        mistakes.add(key, f"The {key} of a workflow must be an object.")
    return {}


def _nodes(document: Document, mistakes: Mistakes) -> dict[str, Node]:
    listed = document.get("nodes", [])
    if not isinstance(listed, list):
        mistakes.add("nodes", "The nodes of a workflow must be a list.")
        return {}
    found: dict[str, Node] = {}
    ids: set[str] = set()
    for index, raw in enumerate(listed):
        node = parse_node(raw, f"nodes[{index}]", mistakes)
        if node is not None and node.name not in found:
            found[node.name] = _with_own_id(node, ids)
    return found


def _with_own_id(node: Node, taken: set[str]) -> Node:
    """Copies of a node within a file share its id; registrations are kept by node id, so each must have its own."""
    while node.id in taken:
        node = replace(node, id=f"{node.id}:{node.name}")
    taken.add(node.id)
    return node


def _settings(raw: dict[str, Json]) -> WorkflowSettings:
    timezone, timeout = text(raw.get("timezone")), number(raw.get("executionTimeout"))
    error_workflow = reference(raw.get("errorWorkflow"))
    return WorkflowSettings(
        order="v1" if raw.get("executionOrder") == "v1" else "v0",
        timezone=None if timezone == "DEFAULT" else timezone,
        error_workflow=None if error_workflow == "DEFAULT" else error_workflow,
        timeout_s=timeout if timeout is not None and timeout > 0 else None,
        raw=raw,
    )


def _pin_data(raw: dict[str, Json]) -> dict[str, Items]:
    """Items by node; what is no list of objects is left out."""
    found: dict[str, Items] = {}
    for name, items in raw.items():
        if isinstance(items, list):
            found[name] = [_pinned(item) for item in items if isinstance(item, dict)]
    return found


def _pinned(item: dict[str, Json]) -> Item:
    """A bare object is an item's json, as older files have it."""
    return cast("Item", item) if isinstance(item.get("json"), dict) else {"json": item}
