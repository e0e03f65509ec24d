"""The node type mcpTrigger: it runs the attached tool that a client calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import TOOL, ToolCall
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Node
from jackfield_ai.agent.node import noted_call
from jackfield_ai.form import MCP_TRIGGER
from jackfield_ai.nodes import AiNode
from jackfield_ai.parameters import Text
from jackfield_ai.reading import at, text_at
from jackfield_ai.tools.toolbox import Toolbox, as_text, tools_of

KIND = "langchain.mcpTrigger"
CALL_OUTPUT = 1
"""The output on which an execution begins with a call; what the tool gave stands on output 0."""
CALL = "mcpToolCall"


class McpTriggerParameters(Parameters):
    ui_fields: ClassVar[UiFields] = MCP_TRIGGER

    authentication: str = Field("none", description="none, bearerAuth or headerAuth, each with its credential.")
    path: str = Field("", description="The address below /mcp.")
    instructions: Text = Field("", description="Told to clients when they connect; most give it to their model.")
    require_execute_access: bool = Field(True, description="Of the authentication n8nOAuth2, which is not available.")
    include_user_in_output: bool = Field(True, description="Of the authentication n8nOAuth2, which is not available.")


def call_item(name: str, arguments: Mapping[str, Json]) -> Item:
    """The items that an execution begins with, in n8n's form."""
    return {"json": {CALL: {"toolName": name, "arguments": dict(arguments)}}}


class McpTriggerNode(AiNode):
    kind = KIND
    versions: Sequence[float] = (1, 1.1, 2, 2.1)
    model = McpTriggerParameters
    description = NodeDescription(
        "MCP Server Trigger",
        "Offers the attached tools to clients of the Model Context Protocol.",
        "trigger",
        inputs=0,
        outputs=(),
        trigger=True,
        accepts=(TOOL,),
        help="ai#an-mcp-server",
        missing=lacking_library("mcp", "mcp"),
        credentials=(
            NodeCredential("httpBearerAuth", when={"authentication": ("bearerAuth",)}),
            NodeCredential("httpHeaderAuth", when={"authentication": ("headerAuth",)}),
        ),
    )

    def own_output(self, node: Node) -> int:
        """See `SelfServingNode`."""
        return CALL_OUTPUT

    async def execute(self, run: NodeRun) -> NodeResult:
        call = run.items[0]["json"].get(CALL) if run.items else None
        name, given = text_at(call, "toolName"), at(call, "arguments")
        if not name or not isinstance(given, dict):
            raise NodeError(f"The item has no {CALL} with a toolName and arguments.")
        tools = Toolbox(await tools_of(run, 0), self.settings)
        result = await tools.call(name, given)
        run.context["toolCalls"] = [noted_call(ToolCall("", name, given), as_text(result), 0)]
        return [[new_item({"tool": name, "result": result}, 0)]]


def mcp_trigger(context: PluginContext, kind: str) -> McpTriggerNode:
    return McpTriggerNode(context)
