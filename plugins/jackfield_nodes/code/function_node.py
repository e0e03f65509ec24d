"""Function: n8n's older Code node, which runs once with all items. JavaScript only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.running import ModelNode, made_at_once
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items, Outputs
from jackfield_nodes.code.code_node import log_lines, normalized
from jackfield_nodes.code.form import FUNCTION

ABSENT = "for (const item of items) item.json.myNewField = 1; return items;"
"""The program that n8n runs when nobody has touched it: a document leaves parameters at their defaults out."""


class Function(Parameters):
    ui_fields: ClassVar[UiFields] = FUNCTION

    function_code: str = Field(ABSENT, description="The program: `items` are the input; it returns items.")


class FunctionNode(ModelNode):
    """Runs the source in a killable worker, as the Code node does."""

    kind = "function"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Function", "Makes items with a program of your own (older form of Code).", "code")
    model = Function

    async def execute(self, run: NodeRun) -> NodeResult:
        async def work() -> Outputs:
            return [await self._items(run)]

        return await made_at_once(run, work, origin=None)

    async def _items(self, run: NodeRun) -> Items:
        result = await run.run_script("javaScript", wrapped(code_of(run, ABSENT)), each=False)
        log_lines(run, result.logs)
        return normalized(result.value)


def code_of(run: NodeRun, absent: str) -> str:
    """The program. Never an expression: it is given as it stands. Raises `NodeError` when it is no text."""
    given = run.node.parameters.get("functionCode", absent)
    if not isinstance(given, str):
        raise NodeError("The parameter functionCode is no text; write a program that returns something.")
    return given


def wrapped(source: str) -> str:
    """One list of items that the program may change in place, and replace. On the source's first line, so that errors
    name the author's lines; two functions, so that the program may also declare these names itself."""
    return (
        f"return (await (async function (items) {{ return await (async function VmCodeWrapper() {{ {source}\n"
        "}).call(this); }).call(this, items)) ?? undefined;"  # null is an error as well
    )


def node(context: PluginContext) -> FunctionNode:
    return FunctionNode()
