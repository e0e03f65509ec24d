"""Compare Datasets: four outputs: only in A, in both and the same, in both but different, only in B."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item, origins_of, passed_on
from jackfield.api.workflows import Item, Items, Node, Outputs
from jackfield_nodes.comparing.differences import DatasetComparison
from jackfield_nodes.comparing.parameters import (
    CompareParameters,
    CompareParameters1,
    CompareParameters2,
    CompareParameters21,
)
from jackfield_nodes.merging.by_fields import check_fields, match
from jackfield_nodes.merging.parameters import MergeOptions
from jackfield_nodes.merging.settings import MergeSettings
from jackfield_nodes.values.threads import worked


def compared(first: Items, second: Items, given: CompareParameters, limit: int) -> Outputs:
    """The items of the four outputs. limit: the most pairs that may be compared. Raises `NodeError`."""
    fields = given.merge_by_fields.complete()
    options = MergeOptions(
        disable_dot_notation=given.options.disable_dot_notation,
        fuzzy_compare=given.fuzzy,
        multiple_matches=given.options.multiple_matches,
    )
    left, right = places_of_data(first), places_of_data(second)
    ours, theirs = [first[place] for place in left], [second[place] for place in right]
    if given.strict and ours:
        check_fields(ours, [row.field1 for row in fields], options, "first")
    if given.strict and theirs:
        check_fields(theirs, [row.field2 for row in fields], options, "second")
    first_only = given.options.multiple_matches == "first"
    matches = match(ours, theirs, fields, options, first_only=first_only, zero=given.zero)
    if matches.total > limit:
        raise NodeError(
            f"The inputs have {matches.total} matching pairs, more than {limit}; match by more fields, or raise the "
            "setting nodes.merge.max_items."
        )
    comparison = DatasetComparison(given, fields)
    outputs: Outputs = [[], [], [], []]
    for index, rows in enumerate(matches.hits):
        if not rows:
            outputs[0].append(passed_on(ours[index], left[index]))
        same: list[Item] = []
        for row in rows:
            pair_of_items = (passed_on(ours[index], left[index]), passed_on(theirs[row], right[row], 1))
            if comparison.same(ours[index]["json"], theirs[row]["json"]):
                same.append(pair_of_items[1 if given.fuzzy and given.resolve == "preferInput2" else 0])
            else:
                outputs[2].append(_different(*pair_of_items, comparison, given))
        outputs[1] += same[:1]
    outputs[3] = [passed_on(item, right[row], 1) for row, item in enumerate(theirs) if row not in matches.matched]
    return outputs


def places_of_data(items: Items) -> list[int]:
    """The places of the items that have a field."""
    return [place for place, item in enumerate(items) if item["json"]]


def _different(left: Item, right: Item, comparison: DatasetComparison, given: CompareParameters) -> Item:
    """The items that go out for two items that differ."""
    match given.resolve:
        case "preferInput1":
            return left
        case "preferInput2":
            return right
        case "mix":
            base = left if given.prefer_when_mix == "input1" else right
            made: Item = {**base, "json": comparison.mixed(left["json"], right["json"])}
            return made
        case "includeBoth":
            origins = [*origins_of(left), *origins_of(right)]
            return new_item(comparison.both(left["json"], right["json"]), origins)


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
        if version is None or version >= 2.2:
            return CompareParameters
        if version >= 2.1:
            return CompareParameters21
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
