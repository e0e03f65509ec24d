"""Filter: hands on the items that meet conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import has_error_output, passed_on
from jackfield.api.nodes.leaves import Apart
from jackfield.api.nodes.running import routed
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.workflows import Item, Node
from jackfield_nodes.conditions.evaluator import ConditionEvaluator
from jackfield_nodes.conditions.form import AND_OR
from jackfield_nodes.conditions.item_tests import BlockTest, FlatTest, ItemTest, ItemTester, LegacyTest, form_of

KEPT, DISCARDED = (0,), (1,)
"""The outputs of an item. The second one is not offered; documents that connect it get what did not pass,
unless it is the error output."""


class LegacyFilter(LegacyTest):
    """Version 1."""

    ui_fields: ClassVar[UiFields] = {"combineConditions": Ui(label="Combine", choices=AND_OR)}

    combine_conditions: Literal["AND", "OR"] = Field("AND", description="Whether all conditions must hold, or any.")

    def combination(self) -> Literal["all", "any"]:
        return "all" if self.combine_conditions == "AND" else "any"


class BlockFilter(BlockTest):
    """Version 2 and later."""


class UnversionedFilter(BlockFilter):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = FORMS[form_of(raw)] if isinstance(raw, dict) else BlockFilter
        return handler(raw) if form is BlockFilter else form.model_validate(raw)  # type: ignore[return-value]

    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        """It reads every form."""
        return {}


FORMS: dict[str, type[ItemTest]] = {"flat": FlatTest, "legacy": LegacyFilter, "block": BlockFilter}


class FilterNode:
    """An item that cannot be tested does not pass when the node goes on after errors; in version 1 the node fails."""

    kind = "filter"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3)
    description = NodeDescription("Filter", "Hands on the items that meet conditions.", "flow")
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._evaluator = ConditionEvaluator(context)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedFilter
        return LegacyFilter if version < 2 else BlockFilter

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        tests: list[Apart[ItemTest]] = await run.resolve_apart()
        tester = ItemTester(await self._evaluator.surroundings(run, tests))
        items = run.items

        def route(index: int, given: Apart[ItemTest]) -> Sequence[int]:
            return KEPT if tester.passes(given, items[index]["json"], index) else DISCARDED

        def failed(error: NodeError, index: int) -> tuple[int, Item]:
            if isinstance(tests[index].parameters, LegacyTest):
                raise error
            return 1, passed_on(items[index], index)

        outputs = await routed(run, tests, 2, route, failed)
        return outputs[:1] if has_error_output(run) else outputs


def node(context: PluginContext) -> FilterNode:
    return FilterNode(context)
