"""Filter: hands on the items that meet conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import error_item, goes_on, passed_on
from jackfield.api.nodes.running import each
from jackfield.api.workflows import Items, Node
from jackfield_nodes.conditions.evaluator import ConditionEvaluator
from jackfield_nodes.conditions.item_tests import BlockTest, FlatTest, ItemTest, LegacyTest, form_of


class LegacyFilter(LegacyTest):
    """Version 1."""

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
    """One output. An item that cannot be tested does not pass when the node goes on after errors; it goes to the error
    output where there is one."""

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
        tests: list[ItemTest] = await run.resolve()
        around = await self._evaluator.surroundings(run, tests)
        kept: Items = []
        async for index, item in each(run.items):
            try:
                if tests[index].passes(item["json"], index, around):
                    kept.append(passed_on(item, index))
            except NodeError as exc:
                if not goes_on(run):
                    raise
                if run.node.on_error == "continueErrorOutput":
                    kept.append(error_item(exc, index))
        return [kept]


def node(context: PluginContext) -> FilterNode:
    return FilterNode(context)
