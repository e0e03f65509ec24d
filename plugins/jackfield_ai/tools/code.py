"""Code Tool: a program that an agent can run, in a worker without network and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.tools.form import CODE_TOOL
from jackfield_ai.tools.toolbox import FunctionTool
from jackfield_ai.tools.workflow import QUERY, SchemaParameters


class CodeTool(SchemaParameters):
    ui_fields: ClassVar[UiFields] = CODE_TOOL

    language: Literal["javaScript", "python"] = "javaScript"
    js_code: str = "return query;"
    python_code: str = "return query"


def program(language: str, source: str, query: Json) -> str:
    """The source with its variable `query`, in the same line, so that errors name the author's own lines."""
    if language == "python":
        return f"query = {query!r}; {source.lstrip()}" if _begins_plainly(source) else f"query = {query!r}\n{source}"
    # Written as an object, a field `__proto__` would be its prototype.
    return f"const query = JSON.parse({dumps(dumps(query).decode()).decode()}); {source}"


def _begins_plainly(source: str) -> bool:
    """A compound statement cannot follow in the same line."""
    first = source.lstrip().partition("\n")[0]
    words = ("if ", "for ", "while ", "def ", "class ", "with ", "try", "async ", "match ", "@")
    return not first.startswith(words)


class CodeToolNode(ServingNode):
    kind = "langchain.toolCode"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    model = CodeTool
    description = NodeDescription(
        "Code Tool", "Lets an agent run a program of your own.", "ai", inputs=0, provides=TOOL
    )

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters: CodeTool = await node.parameters(item, {})
        schema = parameters.asked(QUERY)
        source = parameters.js_code if parameters.language == "javaScript" else parameters.python_code

        async def call(arguments: Mapping[str, Json]) -> Json:
            query: Json = dict(arguments) if parameters.specify_input_schema else arguments.get("query", "")
            result = await node.run_script(parameters.language, program(parameters.language, source, query))
            for line in result.logs:
                node.log.info("%s: %s", node.node.name, line)
            if result.value is None:
                raise NodeError("The program returned nothing; end it with a return.")
            return result.value

        return FunctionTool(ToolSpec(parameters.name or node.node.name, parameters.description, schema), call)


def code(context: PluginContext, kind: str) -> CodeToolNode:
    return CodeToolNode(context)
