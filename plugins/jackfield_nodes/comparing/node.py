"""Compare Datasets: four outputs: only in A, in both and the same, in both but different, only in B."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item, pair, passed_on
from jackfield.api.workflows import Item, Items, Node, Outputs
from jackfield_nodes.comparing.differences import DatasetComparison
from jackfield_nodes.comparing.parameters import CompareParameters, CompareParameters1, CompareParameters2
from jackfield_nodes.merging.by_fields import check_fields, match
from jackfield_nodes.merging.parameters import MergeOptions
from jackfield_nodes.merging.settings import MergeSettings
from jackfield_nodes.values.threads import worked


def compared(first: Items, second: Items, given: CompareParameters, limit: int) -> Outputs:
    """The items of the four outputs. limit: the most pairs that may be compared. Raises `NodeError`."""
    fields = given.merge_by_fields.checked()
    options = MergeOptions(
        disable_dot_notation=given.options.disable_dot_notation,
        fuzzy_compare=given.fuzzy,
        multiple_matches=given.options.multiple_matches,
    )
    check_fields(first, [row.field1 for row in fields], options, "first")
    check_fields(second, [row.field2 for row in fields], options, "second")
    matches = match(first, second, fields, options)
    if matches.total > limit:
        raise NodeError(
            f"The inputs have {matches.total} matching pairs, more than {limit}; match by more fields, or raise the "
            "setting nodes.merge.max_items."
        )
    comparison = DatasetComparison(given, fields)
    outputs: Outputs = [[], [], [], []]
    for index, rows in enumerate(matches.hits):
        if not rows:
            outputs[0].append(passed_on(first[index], index))
        for row in rows:
            same, item = _compared(first[index], second[row], index, row, comparison)
            outputs[1 if same else 2].append(item)
    outputs[3].extend(passed_on(item, index, 1) for index, item in enumerate(second) if index not in matches.matched)
    return outputs


def _compared(left: Item, right: Item, index: int, row: int, comparison: DatasetComparison) -> tuple[bool, Item]:
    """Whether two matched items are the same, and what goes out for them."""
    found = comparison.differing(left["json"], right["json"])
    same = not found.different
    json = left["json"] if same else comparison.resolved(left["json"], right["json"], found)
    made = new_item(json, [pair(index), pair(row, 1)])
    binary = {**(right.get("binary") or {}), **(left.get("binary") or {})}
    if binary:
        made["binary"] = binary
    return same, made


class CompareNode:
    """Pure: changes nothing outside the execution."""

    kind = "compareDatasets"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3)
    description = NodeDescription(
        "Compare Datasets",
        "Tells what two inputs have in common and what differs.",
        "flow",
        inputs=2,
        outputs=("in A only", "same", "different", "in B only"),
    )
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None or version >= 2.1:
            return CompareParameters
        return CompareParameters1 if version < 2 else CompareParameters2

    def outputs(self, node: Node) -> int:
        return 4

    async def execute(self, run: NodeRun) -> NodeResult:
        given: CompareParameters = await run.resolve_first()
        first, second = (*run.inputs, [])[:2]
        limit = self._context.settings(MergeSettings).max_items
        return await worked(len(first) + len(second), compared, first, second, given, limit)


def node(context: PluginContext) -> CompareNode:
    return CompareNode(context)
