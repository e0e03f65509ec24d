"""Model Selector: gives an agent or a chain the first of its models whose rule fits the item.

It stands beside Switch rather than with the models, since both read the same conditions.

Source: n8n's documentation, "Model Selector node".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL
from jackfield.api.context import PluginContext
from jackfield.api.nodes import (
    AttachedNode,
    NodeDescription,
    NodeError,
    NodeResult,
    NodeRun,
    NodeUnavailable,
    Parameters,
)
from jackfield.api.nodes.running import ModelNode
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.conditions.blocks import FilterBlock, passes, questions
from jackfield_nodes.conditions.item_tests import TestSurroundings, rules_of
from jackfield_nodes.conditions.questions import Question
from jackfield_nodes.conditions.regexes import Regexes
from jackfield_nodes.flow.form import MODEL_RULE, MODEL_SELECTOR
from jackfield_nodes.values.zones import zone_of

FEWEST, MOST = 2, 10


class ModelRule(Parameters):
    ui_fields: ClassVar[UiFields] = MODEL_RULE

    model_index: int = Field(1, ge=1, le=MOST, description="Which model, counted from 1 in the order of the inputs.")
    conditions: FilterBlock = Field(default_factory=FilterBlock)


class ModelRules(Parameters):
    rule: list[ModelRule] = Field(default_factory=list)


class ModelChoice(Parameters):
    ui_fields: ClassVar[UiFields] = MODEL_SELECTOR

    number_inputs: int = Field(FEWEST, ge=FEWEST, le=MOST, description="How many models you can attach.")
    rules: ModelRules = Field(default_factory=ModelRules)


class ModelSelectorNode(ModelNode):
    kind = "langchain.modelSelector"
    versions: Sequence[float] = (1,)
    effect = False
    model = ModelChoice
    description = NodeDescription(
        "Model Selector",
        "Chooses one of several models by rules on the item.",
        "ai",
        inputs=0,
        provides=LANGUAGE_MODEL,
        accepts=(LANGUAGE_MODEL,),
        needs=(LANGUAGE_MODEL,),
        help="ai#choose-a-model-by-rules",
    )

    def __init__(self, context: PluginContext) -> None:
        self._regexes = Regexes(context)

    async def execute(self, run: NodeRun) -> NodeResult:
        raise NodeUnavailable(
            f"The node '{run.node.name}' serves other nodes and does not run by itself; connect it to one."
        )

    async def supply(self, node: AttachedNode, item: int) -> object:
        """The chosen model itself: its answers and tokens are those of a model that is attached directly."""
        parameters: ModelChoice = await node.parameters(item)
        rules = parameters.rules.rule
        if not rules:
            raise NodeError(f"The node '{node.node.name}' has no rules; add one under Rules.", item=item)
        parts = sorted(node.attached(LANGUAGE_MODEL), key=lambda part: part.index)
        return await parts[await self._first(node, item, rules, len(parts))].supply(item)

    async def _first(self, node: AttachedNode, item: int, rules: Sequence[ModelRule], attached: int) -> int:
        """The place of the model. As in n8n, a rule behind the one that fits is not looked at."""
        around = TestSurroundings(zone_of(node), {}, node.log.warning)
        asked = list(_questions(rules, item, around))
        around = around._replace(answers=await self._regexes.answers(asked, node.execution.timezone))
        for place, rule in enumerate(rules):
            if rule.model_index > attached:
                raise NodeError(
                    f"The parameter rules.rule[{place}].modelIndex of '{node.node.name}' names model "
                    f"{rule.model_index}, but {attached} are attached; attach more or change the rule.",
                    item=item,
                )
            if passes(rule.conditions, item, rules_of(rule.conditions, around)):
                return rule.model_index - 1
        raise NodeError(
            f"No rule of '{node.node.name}' fits item {item}; add a rule without conditions as the last one.", item=item
        )


def _questions(rules: Sequence[ModelRule], item: int, around: TestSurroundings) -> Iterator[Question]:
    for rule in rules:
        yield from questions(rule.conditions, item, rules_of(rule.conditions, around))


def node(context: PluginContext) -> ModelSelectorNode:
    return ModelSelectorNode(context)
