"""IF: sends each item to the output true or false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.leaves import Apart
from jackfield.api.nodes.running import routed
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.workflows import Item, Node
from jackfield_nodes.conditions.evaluator import ConditionEvaluator
from jackfield_nodes.conditions.form import ALL_OR_ANY
from jackfield_nodes.conditions.item_tests import BlockTest, FlatTest, ItemTest, ItemTester, LegacyTest, form_of

TRUE, FALSE = (0,), (1,)
"""Outputs."""


class LegacyIf(LegacyTest):
    """Version 1."""

    ui_fields: ClassVar[UiFields] = {"combineOperation": Ui(label="Combine", choices=ALL_OR_ANY)}

    combine_operation: Literal["all", "any"] = Field("all", description="Whether all conditions must hold, or any.")

    def combination(self) -> Literal["all", "any"]:
        return self.combine_operation


class BlockIf(BlockTest):
    """Version 2 and later."""


class UnversionedIf(BlockIf):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = FORMS[form_of(raw)] if isinstance(raw, dict) else BlockIf
        return handler(raw) if form is BlockIf else form.model_validate(raw)  # type: ignore[return-value]

    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        """It reads every form."""
        return {}


FORMS: dict[str, type[ItemTest]] = {"flat": FlatTest, "legacy": LegacyIf, "block": BlockIf}


class IfNode:
    """Outputs: true, false. An item that fails goes to false when the node goes on after errors; in version 1 the node
    fails."""

    kind = "if"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3)
    description = NodeDescription("IF", "Sends items to true or false.", "flow", outputs=("true", "false"))
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._evaluator = ConditionEvaluator(context)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedIf
        return LegacyIf if version < 2 else BlockIf

    def outputs(self, node: Node) -> int:
        return 2

    async def execute(self, run: NodeRun) -> NodeResult:
        tests: list[Apart[ItemTest]] = await run.resolve_apart()
        tester = ItemTester(await self._evaluator.surroundings(run, tests))
        items = run.items

        def route(index: int, given: Apart[ItemTest]) -> Sequence[int]:
            return TRUE if tester.passes(given, items[index]["json"], index) else FALSE

        def failed(error: NodeError, index: int) -> tuple[int, Item]:
            if isinstance(tests[index].parameters, LegacyTest):
                raise error
            return 1, passed_on(items[index], index)

        return await routed(run, tests, 2, route, failed)


def node(context: PluginContext) -> IfNode:
    return IfNode(context)
