"""Tests of single items as IF and Filter have them, in every form that documents use.

Version 1 compares by type, version 2 has one block of conditions. A document without typeVersion may hold either, or a
flat list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, Parameters
from jackfield.api.nodes.leaves import Apart, Leaf
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.conditions.blocks import FilterBlock, asks_anything, passes, questions
from jackfield_nodes.conditions.exact import Side, member, written_sides
from jackfield_nodes.conditions.flat import FlatCondition, flat_passes, flat_questions
from jackfield_nodes.conditions.form import BLOCK_OPTIONS, LOOSE
from jackfield_nodes.conditions.legacy import LegacyConditions, legacy_passes, legacy_questions
from jackfield_nodes.conditions.operators import REGEX
from jackfield_nodes.conditions.questions import Answers, Question
from jackfield_nodes.conditions.sides import Rules


class TestSurroundings(NamedTuple):
    """The things that conditions need beside an item.

    `zone`: of dates without an offset. `answers`: see `Question`. `warn`: gets unknown operators.
    """

    zone: tzinfo = UTC
    answers: Answers = MappingProxyType({})
    warn: Callable[[str], None] = lambda _: None


class ItemTest(Parameters):
    """The questions that every form can answer."""

    def asks_anything(self) -> bool:
        """Whether `asks` may tell anything."""
        raise NotImplementedError

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        """The compared values that are null. written: the parameters as the document has them."""
        return iter(())

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        """The questions to answer before `passes`. values: of the leaves."""
        raise NotImplementedError

    def tester(self, around: TestSurroundings) -> Callable[[dict[str, Json], int, Sequence[object]], bool]:
        """Tells of an item, its index and the values of its leaves whether it passes. Raises `NodeError`."""
        return lambda json, item, _: self.passes(json, item, around)

    def passes(self, json: dict[str, Json], item: int, around: TestSurroundings) -> bool:
        """Whether the item passes. Raises `NodeError`."""
        raise NotImplementedError


class ItemTester:
    """Tests items, of which most have the same parameters: what these say is looked at once."""

    def __init__(self, around: TestSurroundings) -> None:
        self._around = around
        self._parameters: ItemTest | None = None
        self._test: Callable[[dict[str, Json], int, Sequence[object]], bool] = lambda json, item, values: False

    def passes(self, given: Apart[ItemTest], json: dict[str, Json], index: int) -> bool:
        """Raises `NodeError`."""
        if given.parameters is not self._parameters:
            self._test = given.parameters.tester(self._around)
            self._parameters = given.parameters
        return self._test(json, index, given.values)


class LegacyTest(ItemTest):
    """Version 1."""

    conditions: LegacyConditions = Field(default_factory=LegacyConditions)

    def combination(self) -> Literal["all", "any"]:
        """Whether all conditions must hold, or any."""
        raise NotImplementedError

    def asks_anything(self) -> bool:
        return bool(self.conditions.date_time) or any(row.operation in REGEX for row in self.conditions.string)

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        given = self.conditions
        groups = {"boolean": given.boolean, "number": given.number, "string": given.string}
        for name, rows in groups.items():
            for index, row in enumerate(rows):
                path = ("conditions", name, index)
                yield from written_sides(row, member(written, *path), {"value1": "value1", "value2": "value2"})

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        return legacy_questions(self.conditions)

    def passes(self, json: dict[str, Json], item: int, around: TestSurroundings) -> bool:
        combine = self.combination()
        return legacy_passes(self.conditions, item, combine=combine, answers=around.answers)


def nulls_of(block: FilterBlock, written: object) -> Iterator[Side]:
    """The values of the block that are null, or an item's own, and whose kind of nothing matters. written: as the
    document has it."""
    for index, row in enumerate(block.conditions):
        if row.left_value is None or row.right_value is None or Leaf in (type(row.left_value), type(row.right_value)):
            names = {"left_value": "leftValue", "right_value": "rightValue"}
            yield from written_sides(row, member(written, "conditions", index), names)


def rules_of(block: FilterBlock, around: TestSurroundings) -> Rules:
    """How a block is evaluated. Its own options count; those of the node are what the editor makes them of."""
    given = block.options
    loose = given.type_validation != "strict"
    return Rules(loose, not given.case_sensitive, given.version, around.zone, around.answers, around.warn)


class BlockOptions(Parameters):
    ui_fields: ClassVar[UiFields] = BLOCK_OPTIONS

    ignore_case: Flag = Field(False, description="Whether upper and lower case are the same.")
    loose_type_validation: Flag = Field(False, description="Convert values of other types (before version 2.1).")


class BlockTest(ItemTest):
    """Version 2 and later."""

    takes_leaves = True

    ui_fields: ClassVar[UiFields] = {"looseTypeValidation": LOOSE}

    conditions: FilterBlock = Field(default_factory=FilterBlock)
    loose_type_validation: Flag = Field(False, description="Convert values of other types (from version 2.1 on).")
    options: BlockOptions = Field(default_factory=BlockOptions)

    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        return {"conditions": _NO_CONDITIONS} if form_of(parameters) == "legacy" else {}

    def asks_anything(self) -> bool:
        return asks_anything(self.conditions)

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        return nulls_of(self.conditions, written.get("conditions"))

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        return questions(self.conditions, item, rules_of(self.conditions, around), values)

    def tester(self, around: TestSurroundings) -> Callable[[dict[str, Json], int, Sequence[object]], bool]:
        block, rules = self.conditions, rules_of(self.conditions, around)
        return lambda json, item, values: passes(block, item, rules, values)


_NO_CONDITIONS = (
    "These conditions have the form of version 1 (lists by type), which this version of the node does not read. The "
    "node has no condition and passes every item. Set typeVersion to 1, or write them as "
    '{"combinator": "and", "conditions": '
    '[{"leftValue": ..., "rightValue": ..., "operator": {"type": "string", "operation": "equals"}}]}.'
)


class FlatTest(ItemTest):
    """A flat list; only documents without typeVersion have it."""

    conditions: list[FlatCondition] = Field(default_factory=list)
    combiner: Literal["and", "or"] = "and"

    def asks_anything(self) -> bool:
        return any(row.operator in REGEX for row in self.conditions)

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        return flat_questions(self.conditions, json)

    def passes(self, json: dict[str, Json], item: int, around: TestSurroundings) -> bool:
        return flat_passes(self.conditions, json, item, combiner=self.combiner, answers=around.answers)


LEGACY_KEYS = frozenset({"boolean", "dateTime", "number", "string"})


def form_of(raw: Mapping[str, object]) -> Literal["flat", "legacy", "block"]:
    """The form that fits a document without typeVersion, told from its keys."""
    conditions = raw.get("conditions")
    if isinstance(conditions, list):
        return "flat"
    if isinstance(conditions, dict) and "conditions" not in conditions and conditions.keys() & LEGACY_KEYS:
        return "legacy"
    return "block"
