"""Function Item: n8n's older Code node, which runs once per item with the item's json as `item`. JavaScript only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import error_item, goes_on, new_item
from jackfield.api.nodes.running import ModelNode, mapped
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Item
from jackfield_nodes.code.code_node import files_of, log_lines
from jackfield_nodes.code.form import FUNCTION
from jackfield_nodes.code.function_node import code_of
from jackfield_nodes.values.conversions import type_name, with_article

ABSENT = "item.myNewField = 1; return item;"
"""See `function_node.ABSENT`."""


class FunctionItem(Parameters):
    ui_fields: ClassVar[UiFields] = FUNCTION

    function_code: str = Field(ABSENT, description="The program: `item` is the item's json; it returns an object.")


class FunctionItemNode(ModelNode):
    """Runs the source in a killable worker, as the Code node does. An item keeps its files."""

    kind = "functionItem"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Function Item", "Changes each item with a program of your own (older form of Code).", "code"
    )
    model = FunctionItem

    async def execute(self, run: NodeRun) -> NodeResult:
        source = code_of(run, ABSENT)
        if not run.items:
            return [[]]
        try:
            result = await run.run_script("javaScript", wrapped(source), each=True)
        except NodeError as exc:  # such as a program that cannot be read
            if not goes_on(run):
                raise
            return [[error_item(exc, index) for index in range(len(run.items))]]
        log_lines(run, result.logs)
        if not isinstance(result.value, list):
            raise NodeError("The program's results are not a list with one entry per item.")
        return [
            await mapped(run, result.value, lambda index, row: [_item(row if isinstance(row, dict) else {}, index)])
        ]


def wrapped(source: str) -> str:
    """See `function_node.wrapped`. The program returns the item's files beside the value."""
    return (
        "let $$files = item.binary; "  # names that no program assigns to by chance
        "const $$get = () => $$files, $$set = async ($$given) => { $$files = $$given; }; "
        "const $$read = async () => $$files, $$put = async ($$given) => { "
        "const $$holder = {}; await setBinaryDataAsync($$holder, $$given); $$files = $$holder.binary; }; "
        "const $$value = await (async function (item, getBinaryData, setBinaryData, "
        "getBinaryDataAsync, setBinaryDataAsync) { "
        f"return await (async function VmCodeWrapper() {{ {source}\n"
        "}).call(this); }).call({ ...this, getBinaryData: $$get, setBinaryData: $$set }, "
        "item.json, $$get, $$set, $$read, $$put); return { value: $$value, files: $$files };"
    )


def _item(row: Mapping[str, Json], index: int) -> Item:
    if "json" in row and isinstance(row["json"], dict):  # the engine's own, for an item on which the program failed
        return new_item(row["json"], index)
    value = row.get("value")
    if not isinstance(value, dict):
        what = "nothing" if value is None else with_article(type_name(value))
        raise NodeError(f"Item {index}: the program must return one object, not {what}.", item=index)
    files = row.get("files")
    kept = files_of(files, "the result") if isinstance(files, dict) and files else None
    return new_item(value, index, cast("dict[str, BinaryData] | None", kept))


def node(context: PluginContext) -> FunctionItemNode:
    return FunctionItemNode()
