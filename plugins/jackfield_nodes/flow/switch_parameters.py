"""Parameters of Switch, one model per form; each says how many outputs there are and which of them an item goes to.

Version 1 has four outputs, version 2 one per rule, version 3 a block of conditions per rule and perhaps an output for
the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.javascript import to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.conditions.blocks import FilterBlock, asks_anything, passes, questions
from jackfield_nodes.conditions.exact import Side, member, written_sides
from jackfield_nodes.conditions.flat import FlatCondition, flat_passes, flat_questions
from jackfield_nodes.conditions.item_tests import TestSurroundings, nulls_of, rules_of
from jackfield_nodes.conditions.legacy import DEFAULTS, LegacyComparison, legacy_holds, legacy_question
from jackfield_nodes.conditions.operators import REGEX
from jackfield_nodes.conditions.questions import Question
from jackfield_nodes.conditions.sides import is_nothing, number_of
from jackfield_nodes.flow.form import BLOCK_RULE, COMPARISON_RULE, SWITCH, SWITCH_OPTIONS
from jackfield_nodes.values.conversions import type_name, with_article
from jackfield_nodes.values.fixed import unfit_numbers

MAX_OUTPUTS = 1000
DEFAULT_OUTPUTS = 4


def _index(value: object) -> int | float | None:
    """The texts that stand for a number between brackets: the value, its text, or a list of it."""
    text = to_string(value) if isinstance(value, list | str) else ""
    if text:
        return int(text) if text.isascii() and text.isdecimal() and str(int(text)) == text else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def checked_output(value: object, count: int, item: int, name: str) -> int:
    """The number of an output. name: of the parameter. Raises `NodeError`."""
    number = _index(value)
    if number is None or not float(number).is_integer():
        shown = with_article(type_name(value)) if value is not None else "nothing"
        raise NodeError(
            f"The parameter {name} of item {item} must be the number of an output, 0 to {count - 1}; it is {shown}.",
            item=item,
        )
    if not 0 <= number < count:
        raise NodeError(
            f"The parameter {name} of item {item} names output {int(number)}, but the outputs are 0 to {count - 1}.",
            item=item,
        )
    return int(number)


class SwitchParameters(Parameters):
    """The questions that every form can answer."""

    ui_fields: ClassVar[UiFields] = SWITCH
    ui_order: ClassVar[Sequence[str]] = ("mode", "dataType", "value1", "rules")

    mode: Literal["rules", "expression"] = Field(
        "rules", description="Rules decide, or an expression gives the output."
    )
    output: object = Field(None, description="Mode expression: the number of the output, from 0 on.")

    def count(self) -> int:
        """How many outputs there are, at least one."""
        raise NotImplementedError

    def chosen(self) -> object:
        """Mode expression: what stands for the number of the output."""
        return self.output

    def goes_on(self) -> bool:
        """Whether there is an output for the error of an item."""
        return True

    def asks_anything(self) -> bool:
        """Whether `asks` may tell anything."""
        raise NotImplementedError

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        """The compared values that are null. written: the parameters as the document has them."""
        return iter(())

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        """The questions to answer before `targets`."""
        raise NotImplementedError

    def matches(self, json: dict[str, Json], item: int, around: TestSurroundings, count: int) -> Sequence[int]:
        """Mode rules: the outputs that the item goes to. Raises `NodeError`."""
        raise NotImplementedError

    def targets(self, json: dict[str, Json], item: int, around: TestSurroundings, count: int) -> Sequence[int]:
        """The outputs that the item goes to. Raises `NodeError`."""
        if self.mode == "expression":
            return [checked_output(self.chosen(), count, item, "output")]
        return self.matches(json, item, around, count)


class ComparisonRule(LegacyComparison, title="ComparisonRule"):
    ui_fields: ClassVar[UiFields] = COMPARISON_RULE

    output: object = Field(0, description="Version 1: where matching items go.")
    output_key: str = Field("", description="Version 2: the name of the rule's output.")


class ComparisonRules(Parameters):
    rules: list[ComparisonRule] = Field(default_factory=list)


class LegacySwitch(SwitchParameters):
    """Version 1: one value is compared, rule by rule; the first that matches names one of four outputs."""

    data_type: Literal["boolean", "dateTime", "number", "string"] = "number"
    value1: object = Field(None, alias="value1", description="The value that all rules compare.")
    rules: ComparisonRules = Field(default_factory=ComparisonRules)
    fallback_output: object = Field(-1, description="Where items go that no rule matches; -1: nowhere.")

    def count(self) -> int:
        return DEFAULT_OUTPUTS

    def chosen(self) -> object:
        return self.output if "output" in self.model_fields_set else 0

    def _rows(self) -> Iterator[tuple[int, ComparisonRule, str, tuple[object, object]]]:
        """Index, rule, operation and the compared values."""
        given = {"value1": self.value1} if "value1" in self.model_fields_set else {}
        left, _ = LegacyComparison(**given).sides(self.data_type)
        for index, rule in enumerate(self.rules.rules):
            yield index, rule, rule.operation or DEFAULTS[self.data_type], (left, rule.sides(self.data_type)[1])

    def asks_anything(self) -> bool:
        if self.mode != "rules":
            return False
        return self.data_type == "dateTime" or any(rule.operation in REGEX for rule in self.rules.rules)

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        yield from written_sides(self, written, {"value1": "value1"})
        for index, rule in enumerate(self.rules.rules):
            yield from written_sides(rule, member(written, "rules", "rules", index), {"value2": "value2"})

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        for _, _, operation, sides in self._rows():
            yield from legacy_question(self.data_type, operation, sides)

    def output_of(self, index: int, rule: ComparisonRule) -> tuple[object, str]:
        """The rule's output and the parameter that names it."""
        return rule.output, f"rules.rules[{index}].output"

    def matches(self, json: dict[str, Json], item: int, around: TestSurroundings, count: int) -> Sequence[int]:
        for index, rule, operation, sides in self._rows():
            if legacy_holds(self.data_type, operation, sides, item, around.answers):
                target, name = self.output_of(index, rule)
                return [checked_output(target, count, item, name)]
        if self.fallback_output in (-1, "-1", None, ""):
            return []
        if not self.goes_on():
            raise NodeError("There is no output for what no rule matches, as there are no rules.", item=item)
        return [checked_output(self.fallback_output, count, item, "fallbackOutput")]


class NamedSwitch(LegacySwitch):
    """Version 2: each rule has its own output."""

    outputs_amount: int = Field(
        DEFAULT_OUTPUTS, ge=1, le=MAX_OUTPUTS, description="Mode expression: how many outputs there are."
    )

    def count(self) -> int:
        return self.outputs_amount if self.mode == "expression" else max(len(self.rules.rules), 1)

    def chosen(self) -> object:
        return self.output

    def goes_on(self) -> bool:
        return self.mode == "expression" or bool(self.rules.rules)

    def output_of(self, index: int, rule: ComparisonRule) -> tuple[object, str]:
        return index, f"rules.rules[{index}]"


class BlockRule(Parameters):
    ui_fields: ClassVar[UiFields] = BLOCK_RULE

    conditions: FilterBlock = Field(default_factory=FilterBlock)
    rename_output: Flag = Field(False, description="Whether outputKey is the output's name.")
    output_key: str = Field("", description="The name of the rule's output.")


class BlockRules(Parameters):
    values: list[BlockRule] = Field(default_factory=list)


class SwitchOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SWITCH_OPTIONS

    fallback_output: object = Field("none", description="Where the rest goes: none, extra, or the number of an output.")
    all_matching_outputs: Flag = Field(False, description="Whether items go to every rule's output that matches.")
    ignore_case: Flag = Field(False, description="Whether upper and lower case are the same.")
    loose_type_validation: Flag = Field(False, description="Convert values of other types (version 3).")
    rename_fallback_output: str = Field("", description="The name of the extra output.")


class BlockSwitch(SwitchParameters):
    """Version 3 and later: each rule is a block of conditions and has its own output."""

    number_outputs: int = Field(
        DEFAULT_OUTPUTS, ge=1, le=MAX_OUTPUTS, description="Mode expression: how many outputs there are."
    )
    rules: BlockRules = Field(default_factory=lambda: BlockRules(values=[BlockRule()]))
    loose_type_validation: Flag = Field(False, description="Convert values of other types (from version 3.1 on).")
    options: SwitchOptions = Field(default_factory=SwitchOptions)

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        names = ["output"] if parameters.get("mode") == "expression" else []
        return {**super().obstacles(parameters), **unfit_numbers(parameters, names)}

    def count(self) -> int:
        if self.mode == "expression":
            return self.number_outputs
        return max(len(self.rules.values) + (self.options.fallback_output == "extra"), 1)

    def chosen(self) -> object:
        """It is converted to a number."""
        if is_nothing(self.output):
            return None
        number = number_of(self.output)
        return int(number) if math.isfinite(number) and float(number).is_integer() else None

    def asks_anything(self) -> bool:
        return self.mode == "rules" and any(asks_anything(rule.conditions) for rule in self.rules.values)

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        for index, rule in enumerate(self.rules.values):
            yield from nulls_of(rule.conditions, member(written, "rules", "values", index, "conditions"))

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        for rule in self.rules.values:
            yield from questions(rule.conditions, item, rules_of(rule.conditions, around))

    def _passes(self, index: int, rule: BlockRule, item: int, around: TestSurroundings) -> bool:
        try:
            return passes(rule.conditions, item, rules_of(rule.conditions, around))
        except NodeError as exc:
            raise NodeError(f"Rule {index}: {exc.message}", item=item) from None

    def matches(self, json: dict[str, Json], item: int, around: TestSurroundings, count: int) -> Sequence[int]:
        found: list[int] = []
        for index, rule in enumerate(self.rules.values):
            if self._passes(index, rule, item, around):
                found.append(index)
                if not self.options.all_matching_outputs:
                    break
        return found or self._rest(item, count)

    def _rest(self, item: int, count: int) -> Sequence[int]:
        fallback = self.options.fallback_output
        if not self.rules.values or fallback in ("none", None, ""):
            return []
        if fallback == "extra":
            return [count - 1]
        return [checked_output(fallback, count, item, "options.fallbackOutput")]


class FlatRule(Parameters):
    field: str = ""
    operation: str = Field("equals", description="Such as equals, contains, greaterThan, exists.")
    value: object = None

    def condition(self) -> FlatCondition:
        path = self.field if self.field.startswith("$json.") else f"$json.{self.field}"
        return FlatCondition.model_construct(left_value=path, operator=self.operation, right_value=self.value)


class FlatSwitch(SwitchParameters):
    """A flat list of rules, each with its own output; only documents without typeVersion have it."""

    rules: list[FlatRule] = Field(default_factory=list)
    stop_after_first_match: Flag = Field(True, description="Whether only the first rule that matches counts.")
    fallback_to_last: Flag = Field(False, description="Whether what no rule matches has its own output, the last.")

    def count(self) -> int:
        return max(len(self.rules) + self.fallback_to_last, 1)

    def asks_anything(self) -> bool:
        return any(rule.operation in REGEX for rule in self.rules)

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        return flat_questions([rule.condition() for rule in self.rules], json)

    def matches(self, json: dict[str, Json], item: int, around: TestSurroundings, count: int) -> Sequence[int]:
        found = [
            index
            for index, rule in enumerate(self.rules)
            if flat_passes([rule.condition()], json, item, combiner="and", answers=around.answers)
        ]
        if not found:
            return [count - 1] if self.fallback_to_last else []
        return found[:1] if self.stop_after_first_match else found


def form_of(raw: Mapping[str, object]) -> type[SwitchParameters]:
    """The model that fits the keys of a document without typeVersion."""
    rules = raw.get("rules")
    if isinstance(rules, list):
        return FlatSwitch
    rows = rules.get("rules") if isinstance(rules, dict) else None
    if "outputsAmount" in raw or _has_names(rows):
        return NamedSwitch
    return LegacySwitch if isinstance(rows, list) else BlockSwitch


def _has_names(rows: object) -> bool:
    return isinstance(rows, list) and any(isinstance(row, dict) and "outputKey" in row for row in rows)
