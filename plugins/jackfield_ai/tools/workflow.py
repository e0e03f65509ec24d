"""Call n8n Workflow Tool: another workflow as a tool."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.json_schemas import schema_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeCatalog, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.scopes import UNREAD, document_scopes
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Document, Node
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Chosen, Text, chosen
from jackfield_ai.parsing.schemas import read_json, read_schema
from jackfield_ai.tools.form import FIELD_VALUE, WORKFLOW_TOOL
from jackfield_ai.tools.from_ai import schema_in
from jackfield_ai.tools.node_tool import told

MAPPED_SINCE = 2
RESPONSE_PROPERTY_UNTIL = 1.2
QUERY: dict[str, Json] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "The input of the tool."}},
    "required": ["query"],
}


class FieldValue(Parameters):
    ui_fields: ClassVar[UiFields] = FIELD_VALUE

    name: str = ""
    type: str = "stringValue"
    string_value: Text = ""
    number_value: JsonValue = None
    boolean_value: JsonValue = None
    array_value: JsonValue = None
    object_value: JsonValue = None

    def value(self) -> Json:
        """Of the type's own field."""
        found: dict[str, JsonValue] = {
            "stringValue": self.string_value,
            "numberValue": self.number_value,
            "booleanValue": self.boolean_value,
            "arrayValue": self.array_value,
            "objectValue": self.object_value,
        }
        return found.get(self.type)


class FieldValues(Parameters):
    values: list[FieldValue] = Field(default_factory=list)


class WorkflowInputs(Parameters):
    mapping_mode: str = "defineBelow"
    value: dict[str, JsonValue] | None = None


class SchemaParameters(Parameters):
    """The arguments that a tool of an old version, or with code, asks of the model."""

    name: str = ""
    description: Text = ""
    specify_input_schema: bool = False
    schema_type: Literal["fromJson", "manual"] = "fromJson"
    json_schema_example: JsonValue = '{\n\t"some_input": "some_value"\n}'
    input_schema: JsonValue = None

    def asked(self, default: dict[str, Json]) -> dict[str, Json]:
        """Raises `NodeError`."""
        if not self.specify_input_schema:
            return default
        if self.schema_type == "manual":
            return read_schema(self.input_schema, "inputSchema")
        return schema_of(read_json(self.json_schema_example, "jsonSchemaExample"), required=False)


class CallingParameters(Parameters):
    """Which workflow is called, and values for it."""

    source: Literal["database", "parameter"] = "database"
    workflow_id: Chosen = Field(None, description="The saved workflow's id.")
    workflow_json: JsonValue = None
    fields: FieldValues = Field(default_factory=FieldValues)


class WorkflowTool(CallingParameters, SchemaParameters):
    ui_fields: ClassVar[UiFields] = WORKFLOW_TOOL

    response_property_name: str = "response"
    workflow_inputs: WorkflowInputs = Field(default_factory=WorkflowInputs)


class CalledWorkflow:
    """`Tool`."""

    def __init__(self, node: AttachedNode, item: int, parameters: WorkflowTool) -> None:
        self._node = node
        self._item = item
        self._version = node.node.version or MAPPED_SINCE
        schema = schema_in(node.node.parameters) if self._mapped else parameters.asked(QUERY)
        name = parameters.name or node.node.name
        self.spec = ToolSpec(name, parameters.description, schema)

    @property
    def _mapped(self) -> bool:
        return self._version >= MAPPED_SINCE

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        parameters: WorkflowTool = await self._node.parameters(self._item, arguments)
        found = await self._node.run_workflow(target_of(parameters), [{"json": self._given(parameters, arguments)}])
        if self._version > RESPONSE_PROPERTY_UNTIL:
            return told(found)
        name = parameters.response_property_name or "response"
        if not found or name not in found[0]["json"]:
            raise NodeError(f"The workflow's last node gave no field '{name}'; see responsePropertyName.")
        return found[0]["json"][name]

    def _given(self, parameters: WorkflowTool, arguments: Mapping[str, Json]) -> dict[str, Json]:
        if self._mapped:
            return dict(parameters.workflow_inputs.value or {})
        # With their own schema, older versions hand over all arguments, and once more as `query`.
        made: dict[str, Json] = dict(arguments)
        if parameters.specify_input_schema:
            made.setdefault("query", dict(arguments))
        return made | {row.name: row.value() for row in parameters.fields.values if row.name}


def target_of(parameters: CallingParameters) -> str | Document:
    """Raises `NodeError`."""
    if parameters.source == "parameter":
        document = read_json(parameters.workflow_json, "workflowJson")
        if not isinstance(document, dict):
            raise NodeError("The parameter workflowJson must be a workflow, that is an object.")
        return document
    found = chosen(parameters.workflow_id)
    if not found:
        raise NodeError("The parameter workflowId is empty; choose the workflow to call.")
    return found


def unsaved_scopes(context: PluginContext, node: Node) -> Collection[str]:
    """Those of the nodes of a workflow that is not saved, and so was not looked at when it was."""
    source = node.parameters.get("source", "database")
    if source == "database":
        return ()
    document = node.parameters.get("workflowJson")
    return document_scopes(document, context.port(NodeCatalog)) if source == "parameter" else UNREAD


class WorkflowToolNode(ServingNode):
    kind = "langchain.toolWorkflow"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 2, 2.1, 2.2)
    model = WorkflowTool
    effect = True
    description = NodeDescription(
        "Call Workflow Tool", "Lets an agent run another workflow.", "ai", inputs=0, provides=TOOL
    )

    def scopes(self, node: Node) -> Collection[str]:
        return unsaved_scopes(self._context, node)

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters: WorkflowTool = await node.parameters(item, {})
        return CalledWorkflow(node, item, parameters)


def workflow(context: PluginContext, kind: str) -> WorkflowToolNode:
    return WorkflowToolNode(context)
