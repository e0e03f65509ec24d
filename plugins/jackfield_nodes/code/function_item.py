"""Function Item: n8n's older Code node, which runs once per item with the item's json as `item`. JavaScript only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import error_item, goes_on
from jackfield.api.workflows import Item, Items, Node
from jackfield_nodes.code.code_node import files_of
from jackfield_nodes.code.function_node import code_of, log_lines
from jackfield_nodes.values.conversions import type_name, with_article

ABSENT = "item.myNewField = 1; return item;"
"""See `function_node.ABSENT`."""


class FunctionItem(Parameters):
    function_code: str = Field(ABSENT, description="The program: `item` is the item's json; it returns an object.")


class FunctionItemNode:
    """Runs the source in a killable worker, as the Code node does. An item keeps its files."""

    kind = "functionItem"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Function Item", "Changes each item with a program of your own (older form of Code).", "code"
    )
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return FunctionItem

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        source = code_of(run, ABSENT)
        if not run.items:
            return [[]]
        result = await run.run_script("javaScript", wrapped(source), each=True)
        log_lines(run, result.logs)
        if not isinstance(result.value, list):
            raise NodeError("The program's results are not a list with one entry per item.")
        return [_items(result.value, keep_errors=goes_on(run))]


def wrapped(source: str) -> str:
    """See `function_node.wrapped`. What is returned carries the item's files beside the value."""
    return (
        "let $$files = item.binary; "  # names that no program assigns to by chance
        "const $$get = () => $$files, $$set = async ($$given) => { $$files = $$given; }; "
        "const $$value = await (async function (item, getBinaryData, setBinaryData) { "
        f"return await (async function () {{ {source}\n"
        "}).call(this); }).call({ ...this, getBinaryData: $$get, setBinaryData: $$set }, "
        "item.json, $$get, $$set); return { value: $$value, files: $$files };"
    )


def _items(rows: Sequence[Json], *, keep_errors: bool) -> Items:
    """Raises `NodeError` with the item's index."""
    made: Items = []
    for index, row in enumerate(rows):
        try:
            made.append(_item(row if isinstance(row, dict) else {}, index))
        except NodeError as exc:
            if not keep_errors:
                raise
            made.append(error_item(exc, index))
    return made


def _item(row: Mapping[str, Json], index: int) -> Item:
    if "json" in row and isinstance(row["json"], dict):  # the engine's own, for an item on which the program failed
        return {"json": row["json"], "pairedItem": {"item": index}}
    value = row.get("value")
    if not isinstance(value, dict):
        what = "nothing" if value is None else with_article(type_name(value))
        raise NodeError(f"Item {index}: the program must return one object, not {what}.", item=index)
    made: Item = {"json": value, "pairedItem": {"item": index}}
    files = row.get("files")
    if isinstance(files, dict) and files:
        made["binary"] = files_of(files, "the result")  # type: ignore[typeddict-item]
    return made


def node(context: PluginContext) -> FunctionItemNode:
    return FunctionItemNode()
