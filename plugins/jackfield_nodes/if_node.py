"""IF: sends each item to the output true or false.

Source: facts/workflow-service.md section 3.2: version 1 compares by type, version 2 has one block of conditions. A
document without typeVersion may hold either, or a flat list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Literal, NamedTuple, Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Items, Node
from jackfield_nodes.conditions import REGEX, FilterBlock, Question, Rules, passes, questions
from jackfield_nodes.flat_conditions import FlatCondition, flat_passes, flat_questions
from jackfield_nodes.items import goes_on, passed_on
from jackfield_nodes.legacy_conditions import LegacyConditions, legacy_passes, legacy_questions
from jackfield_nodes.parameters import Parameters
from jackfield_nodes.regexes import Regexes
from jackfield_nodes.zones import zone_of


class Surroundings(NamedTuple):
    """What conditions need beside an item. zone: of dates without an offset; answers: of regular expressions."""

    zone: tzinfo = UTC
    answers: Mapping[Question, bool | None] = MappingProxyType({})
    warn: Callable[[str], None] = lambda _: None


class IfParameters(Parameters):
    """What every form can tell."""

    def has_regex(self) -> bool:
        """Whether `asks` may tell anything."""
        raise NotImplementedError

    def asks(self, json: dict[str, Json], item: int, around: Surroundings) -> Iterator[Question]:
        """The regular expression tests to answer before `passes`."""
        raise NotImplementedError

    def passes(self, json: dict[str, Json], item: int, around: Surroundings) -> bool:
        """Whether the item goes to the output true. Raises `NodeError`."""
        raise NotImplementedError


class LegacyIf(IfParameters):
    """Version 1."""

    conditions: LegacyConditions = Field(default_factory=LegacyConditions)
    combine_operation: Literal["all", "any"] = Field("all", description="Whether all conditions must hold, or any.")

    def has_regex(self) -> bool:
        return any(row.operation in REGEX for row in self.conditions.string)

    def asks(self, json: dict[str, Json], item: int, around: Surroundings) -> Iterator[Question]:
        return legacy_questions(self.conditions)

    def passes(self, json: dict[str, Json], item: int, around: Surroundings) -> bool:
        return legacy_passes(
            self.conditions, item, combine=self.combine_operation, zone=around.zone, answers=around.answers
        )


class IfOptions(Parameters):
    ignore_case: bool = Field(False, description="Whether upper and lower case are the same.")
    loose_type_validation: bool = Field(False, description="Convert values of other types (version 2).")


class BlockIf(IfParameters):
    """Version 2 and later."""

    conditions: FilterBlock = Field(default_factory=FilterBlock)
    loose_type_validation: bool = Field(False, description="Convert values of other types (from version 2.1 on).")
    options: IfOptions = Field(default_factory=IfOptions)

    def has_regex(self) -> bool:
        return any(row.operator.operation in REGEX for row in self.conditions.conditions)

    def rules(self, around: Surroundings) -> Rules:
        given = self.conditions.options
        return Rules(
            self.loose_type_validation or self.options.loose_type_validation or given.type_validation == "loose",
            self.options.ignore_case or not given.case_sensitive,
            given.version,
            around.zone,
            around.answers,
            around.warn,
        )

    def asks(self, json: dict[str, Json], item: int, around: Surroundings) -> Iterator[Question]:
        return questions(self.conditions, item, self.rules(around))

    def passes(self, json: dict[str, Json], item: int, around: Surroundings) -> bool:
        return passes(self.conditions, item, self.rules(around))


class FlatIf(IfParameters):
    """A flat list; only documents without typeVersion have it."""

    conditions: list[FlatCondition] = Field(default_factory=list)
    combiner: Literal["and", "or"] = "and"

    def has_regex(self) -> bool:
        return any(row.operator in REGEX for row in self.conditions)

    def asks(self, json: dict[str, Json], item: int, around: Surroundings) -> Iterator[Question]:
        return flat_questions(self.conditions, json)

    def passes(self, json: dict[str, Json], item: int, around: Surroundings) -> bool:
        return flat_passes(self.conditions, json, item, combiner=self.combiner, answers=around.answers)


def form_of(raw: dict[str, object]) -> type[IfParameters]:
    """The model that fits a document without typeVersion."""
    conditions = raw.get("conditions")
    if isinstance(conditions, list):
        return FlatIf
    if isinstance(conditions, dict) and "conditions" not in conditions and conditions.keys() & LEGACY_KEYS:
        return LegacyIf
    return BlockIf


LEGACY_KEYS = frozenset({"boolean", "dateTime", "number", "string"})


class UnversionedIf(BlockIf):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = form_of(raw) if isinstance(raw, dict) else BlockIf
        return handler(raw) if form is BlockIf else form.model_validate(raw)  # type: ignore[return-value]


class IfNode:
    """Outputs: true, false. An item that fails goes to false when the node goes on after errors."""

    kind = "if"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3)
    description = NodeDescription("IF", "Sends items to true or false.", "flow", outputs=("true", "false"))
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._regexes = Regexes(context)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedIf
        return LegacyIf if version < 2 else BlockIf

    def outputs(self, node: Node) -> int:
        return 2

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: list[IfParameters] = await run.resolve()
        around = Surroundings(zone_of(run), {}, run.log.warning)
        if any(given.has_regex() for given in parameters):
            around = around._replace(answers=await self._answers(run.items, parameters, around))
        outputs: tuple[Items, Items] = ([], [])
        for index, (item, given) in enumerate(zip(run.items, parameters, strict=True)):
            met = self._passes(given, item["json"], index, around, goes_on(run))
            outputs[0 if met else 1].append(passed_on(item, index))
        return list(outputs)

    async def _answers(
        self, items: Items, parameters: list[IfParameters], around: Surroundings
    ) -> Mapping[Question, bool | None]:
        asked = (
            question
            for index, (item, given) in enumerate(zip(items, parameters, strict=True))
            for question in given.asks(item["json"], index, around)
        )
        return await self._regexes.answers(asked)

    @staticmethod
    def _passes(given: IfParameters, json: dict[str, Json], index: int, around: Surroundings, lenient: bool) -> bool:
        try:
            return given.passes(json, index, around)
        except NodeError:
            if not lenient:
                raise
            return False


def node(context: PluginContext) -> IfNode:
    return IfNode(context)
