"""Where a call of an offered workflow starts: the node, the schema that follows from it, and its items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.errors import InvalidInput
from jackfield.api.form_fields import FormField, read_fields
from jackfield.api.json_schemas import schema_of
from jackfield.api.json_values import Json
from jackfield.api.tool_schemas import LONGEST_PROPERTY, PROPERTY
from jackfield.api.workflow_tools import LARGEST_SCHEMA, ToolOffer
from jackfield.api.workflows import Item, Node, Workflow

Schema: TypeAlias = dict[str, Json]
ANYTHING: Mapping[str, Json] = {"type": "object"}
_NUMBERS = frozenset({"number"})
_NO_VALUE = frozenset({"html", "file", "hidden"})
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")
_TYPES = {"string": "string", "number": "number", "boolean": "boolean", "array": "array", "object": "object"}
"""Types of the fields of an Execute Workflow Trigger, but `any`."""


def start_of(workflow: Workflow, offer: ToolOffer) -> Node | None:
    """The node that the offer names, else the first one of the kind that comes first in `STARTS`. None: it has no such
    node, or the one is disabled."""
    if offer.start:
        named = workflow.nodes.get(offer.start)
        return named if named is not None and _starts(workflow, named) else None
    nodes = [node for node in workflow.nodes.values() if _starts(workflow, node)]
    return min(nodes, key=lambda node: _ORDER.index(node.kind), default=None)


def _starts(workflow: Workflow, node: Node) -> bool:
    return node.kind in STARTS and not node.disabled and node.name not in workflow.parts()


def schema_at(node: Node) -> Mapping[str, Json]:
    """The arguments that a call may hand over, where the offer has no schema: a JSON Schema of an object that models'
    APIs take. A field that they would not take has another name there, which `item_for` knows."""
    found = STARTS[node.kind](node)
    fields = found.get("properties")
    if found.get("type") != "object":
        return ANYTHING
    if isinstance(fields, dict):
        found = {**found, **_renamed(fields, found.get("required"))}
    return found if len(jsontext.dumps(found)) <= LARGEST_SCHEMA else ANYTHING


def _renamed(fields: Mapping[str, Json], required: Json) -> Schema:
    names = _fit_names(fields)
    made: Schema = {}
    for name, field in fields.items():
        told = {"description": name} if names[name] != name else {}
        made[names[name]] = {**told, **field} if isinstance(field, dict) else field
    needed = [names[name] for name in required if isinstance(name, str)] if isinstance(required, list) else []
    return {"properties": made, **({"required": list[Json](dict.fromkeys(needed))} if needed else {})}


def _fit_names(fields: Iterable[str]) -> Mapping[str, str]:
    """Name of each field -> the one that models' APIs take. A field that has such a name keeps it."""
    known = list(fields)
    taken = {name for name in known if PROPERTY.fullmatch(name)}
    found = {name: name for name in taken}
    for name in known:
        if name in found:
            continue
        wanted = _UNFIT.sub("_", name).strip("_")[: LONGEST_PROPERTY - 4] or "field"
        numbered = (wanted if number == 1 else f"{wanted}_{number}" for number in range(1, len(known) + 2))
        found[name] = next(one for one in numbered if one not in taken)
        taken.add(found[name])
    return found


def item_for(node: Node, arguments: Mapping[str, Json], now_ms: int, call: str) -> Item:
    """The item that the node gives. `call`: names the call, such as the session of a chat."""
    given = _as_the_node_names_them(node, arguments)
    if node.kind == "formTrigger":
        return {"json": {**given, "submittedAt": iso(now_ms), "formMode": "production"}}
    if node.kind == "langchain.chatTrigger":
        return {"json": {"sessionId": call, "action": "sendMessage", **given}}
    if node.kind == "webhook":
        return {"json": {"headers": {}, "params": {}, "query": {}, "body": given}}
    return {"json": given}


def _as_the_node_names_them(node: Node, arguments: Mapping[str, Json]) -> dict[str, Json]:
    fields = STARTS[node.kind](node).get("properties")
    names = _fit_names(fields) if isinstance(fields, dict) else {}
    own = {fit: name for name, fit in names.items()}
    return {own.get(name, name): value for name, value in arguments.items()}


def _of_caller(node: Node) -> Schema:
    """Of an Execute Workflow Trigger: its fields, its example, or whatever comes. Source: n8n's parameters of 1.1."""
    parameters = node.parameters
    source = parameters.get("inputSource", "workflowInputs")
    if source == "jsonExample":
        example = parameters.get("jsonExample")
        try:
            return schema_of(jsontext.loads(example) if isinstance(example, str) else example, required=False)
        except InvalidInput:
            return dict(ANYTHING)
    inputs = parameters.get("workflowInputs")
    rows = inputs.get("values") if source == "workflowInputs" and isinstance(inputs, dict) else None
    fields: dict[str, Json] = {
        str(row["name"]): _typed(row.get("type", "string"))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and isinstance(row.get("name"), str) and row["name"]
    }
    return {"type": "object", "properties": fields, "additionalProperties": False} if fields else dict(ANYTHING)


def _typed(kind: Json) -> Json:
    found = _TYPES.get(str(kind))
    return {"type": found} if found else {}


def _of_form(node: Node) -> Schema:
    try:
        fields = [field for field in read_fields(node.parameters) if field.kind not in _NO_VALUE]
    except ValueError:
        return dict(ANYTHING)
    needed: list[Json] = [field.key for field in fields if field.required]
    made: Schema = {"type": "object", "properties": {field.key: _of_field(field) for field in fields}}
    return {**made, "required": needed} if needed else made


def _of_field(field: FormField) -> Json:
    told: Schema = {} if field.label == field.key else {"description": field.label}
    one: Schema = {"type": "number" if field.kind in _NUMBERS else "string"}
    if field.options:
        one["enum"] = list[Json](field.options)
    return {"type": "array", "items": one, **told} if field.several else {**one, **told}


def _of_chat(node: Node) -> Schema:
    message: Json = {"type": "string", "description": "The text to say."}
    return {"type": "object", "properties": {"chatInput": message}, "required": ["chatInput"]}


def _of_anything(node: Node) -> Schema:
    return dict(ANYTHING)


STARTS: Mapping[str, Callable[[Node], Schema]] = {
    "executeWorkflowTrigger": _of_caller,
    "manualTrigger": _of_anything,
    "start": _of_anything,
    "formTrigger": _of_form,
    "langchain.chatTrigger": _of_chat,
    "webhook": _of_anything,
    "scheduleTrigger": _of_anything,
}
"""Kind of a node that a call may start at -> the schema that follows from it; the first kind that a workflow has
counts."""
_ORDER = tuple(STARTS)
