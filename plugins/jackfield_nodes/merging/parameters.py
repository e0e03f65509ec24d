"""Parameters of Merge from version 2 on.

Version 2 names the ways of combining differently from version 3; both are read here as one of `Way`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from jackfield.api.javascript import text_number
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.merging.form import CLASH, MERGE_2, MERGE_3, OPTIONS, PAIR
from jackfield_nodes.values.fixed import unfit_numbers
from jackfield_nodes.values.names import names_of

Way: TypeAlias = Literal["append", "fields", "position", "all", "branch", "sql"]
JoinMode: TypeAlias = Literal["keepMatches", "keepNonMatches", "keepEverything", "enrichInput1", "enrichInput2"]
Mode3: TypeAlias = Literal["append", "combine", "combineBySql", "chooseBranch"]

MAX_INPUTS = 10

DEFAULT_QUERY = "SELECT * FROM input1 LEFT JOIN input2 ON input1.name = input2.id"


class FieldPair(Parameters):
    ui_fields: ClassVar[UiFields] = PAIR

    field1: str = Field("", description="Name of the field in the first input.")
    field2: str = Field("", description="Name of the field in the second input.")


class FieldPairs(Parameters):
    values: list[FieldPair] = Field(default_factory=list)

    def checked(self) -> list[FieldPair]:
        """At least one pair, each complete. Raises `NodeError`."""
        if not self.values:
            raise NodeError("The parameter mergeByFields has no fields to match; name at least one pair of fields.")
        for index, row in enumerate(self.values):
            if not row.field1.strip() or not row.field2.strip():
                raise NodeError(
                    f"The parameter mergeByFields.values[{index}] needs field1 and field2; name the field of each "
                    "input."
                )
        return [FieldPair(field1=row.field1.strip(), field2=row.field2.strip()) for row in self.values]

    def complete(self) -> list[FieldPair]:
        """The pairs, which may be none. Raises `NodeError` for half a pair."""
        return self.checked() if self.values else []


class FieldConflict(Parameters, title="Clash"):
    """How fields that several items have are resolved."""

    ui_fields: ClassVar[UiFields] = CLASH

    resolve_clash: str | None = Field(
        None, description="preferInput1, preferInput2 and so on, preferLast, or addSuffix for both with _1, _2."
    )
    merge_mode: Literal["deepMerge", "shallowMerge"] = Field(
        "deepMerge", description="Whether objects and lists inside fields are combined too, or replaced."
    )
    override_empty: Flag = Field(False, description="Whether null and empty text never replace a value.")

    def preferred(self) -> int | None:
        """Index of the input that prevails. None: none is named. Raises `NodeError`."""
        wish = self.resolve_clash
        if wish in {None, "", "addSuffix", "preferLast"}:
            return None
        match = re.fullmatch(r"preferInput([1-9]\d?)", wish or "")
        if match is None:
            raise NodeError(
                f"The parameter resolveClash is '{wish}', which is none of preferInput1, preferInput2, preferLast, "
                "addSuffix."
            )
        return int(match[1]) - 1


class FieldConflictHandling(Parameters, title="ClashHandling"):
    values: FieldConflict = Field(default_factory=FieldConflict)


class MergeOptions(Parameters):
    ui_fields: ClassVar[UiFields] = OPTIONS

    clash_handling: FieldConflictHandling = Field(default_factory=FieldConflictHandling)
    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    fuzzy_compare: Flag = Field(False, description='Whether 3 and "3" match, and all that is empty.')
    include_unpaired: Flag = Field(False, description="By position: keep items that have no partner.")
    multiple_matches: Literal["all", "first"] = Field("all", description="Which of several partners an item gets.")
    empty_query_result: Literal["success", "empty"] | None = Field(
        None, description="SQL without rows: one item {success: true}, or none. Default up to version 3.1: success."
    )

    query_parameters: object = Field(
        "", description="SQL: values of the placeholders ? in their order, as text with commas, a number, or a list."
    )

    @property
    def conflict(self) -> FieldConflict:
        return self.clash_handling.values


class Branch(NamedTuple):
    """The items that Choose Branch gives out: those of the input with this index; None: one empty item."""

    source: int | None


class CombineParameters(Parameters):
    """The parameters that versions 2 and 3 share."""

    ui_order: ClassVar[Sequence[str]] = (
        "mode",
        "numberInputs",
        "combinationMode",
        "combineBy",
        "advanced",
        "fieldsToMatchString",
    )

    merge_by_fields: FieldPairs = Field(default_factory=FieldPairs)
    fields_to_match_string: object = Field("", description="Fields that both inputs have, comma separated.")
    join_mode: JoinMode = Field("keepMatches", description="Which items go out.")
    output_data_from: Literal["both", "input1", "input2"] = Field("both", description="The input whose data goes out.")
    options: MergeOptions = Field(default_factory=MergeOptions)

    def way(self) -> Way:
        raise NotImplementedError

    def branch(self) -> Branch:
        """Of Choose Branch. Raises `NodeError`."""
        raise NotImplementedError

    def sql(self) -> str:
        return DEFAULT_QUERY

    def pairs(self) -> list[FieldPair]:
        """The fields to match. Raises `NodeError`."""
        names = names_of(self.fields_to_match_string)
        if names:
            return [FieldPair(field1=name, field2=name) for name in names]
        return self.merge_by_fields.checked()

    def conflict(self) -> FieldConflict:
        """How fields that both inputs have are resolved."""
        return self.options.conflict

    def prevailing(self) -> frozenset[str]:
        """Values of resolveClash that this version knows where items match by fields."""
        raise NotImplementedError

    def loses_matches(self) -> bool:
        """Whether items that match by fields become empty ones, as in n8n.

        They do where a clash is given without an input that prevails, or with one that this version does not know.
        """
        handling = self.options.clash_handling
        return "values" in handling.model_fields_set and handling.values.resolve_clash not in self.prevailing()

    def first_only(self) -> bool:
        """Whether an item gets only the first of several partners."""
        only_first = self.options.multiple_matches == "first"
        if self.join_mode == "keepMatches":
            return only_first and self.output_data_from == "both"
        return only_first and self.join_mode != "keepNonMatches"


class Merge2(CombineParameters):
    """Versions 2 and 2.1."""

    ui_fields: ClassVar[UiFields] = MERGE_2

    mode: Literal["append", "combine", "chooseBranch"] = Field("append", description="The way of the inputs.")
    combination_mode: Literal["mergeByFields", "mergeByPosition", "multiplex"] = Field(
        "mergeByFields", description="How items find each other."
    )
    output: Literal["input1", "input2", "empty"] = Field("input1", description="Choose Branch: what goes out.")

    def prevailing(self) -> frozenset[str]:
        return frozenset({"addSuffix", "preferInput1", "preferInput2"})

    def conflict(self) -> FieldConflict:
        """How to merge counts only where it says which input prevails."""
        found = self.options.conflict
        return found if found.resolve_clash or self.way() == "fields" else FieldConflict()

    def way(self) -> Way:
        if self.mode == "append":
            return "append"
        if self.mode == "chooseBranch":
            return "branch"
        ways: dict[str, Way] = {"mergeByFields": "fields", "mergeByPosition": "position", "multiplex": "all"}
        return ways[self.combination_mode]

    def branch(self) -> Branch:
        return Branch({"input1": 0, "input2": 1, "empty": None}[self.output])


class Merge3(CombineParameters):
    """Versions 3, 3.1 and 3.2."""

    ui_fields: ClassVar[UiFields] = MERGE_3

    mode: Mode3 = Field("append", description="The way of the inputs.")
    number_inputs: int = Field(2, ge=2, le=MAX_INPUTS, description="How many inputs there are.")
    combine_by: Literal["combineByFields", "combineByPosition", "combineAll"] = Field(
        "combineByFields", description="How items find each other."
    )
    advanced: Flag = Field(False, description="Whether the fields to match have different names.")
    query: str = Field(
        DEFAULT_QUERY,
        description="SQL; the inputs are the tables input1, input2 and so on.",
        json_schema_extra=needed({"mode": ["combineBySql"]}),
    )
    output: Literal["specifiedInput", "empty"] = Field("specifiedInput", description="Choose Branch: what goes out.")
    use_data_of_input: object = Field(1, description="Choose Branch: number of the input, from 1 on.")

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        mode = parameters.get("mode", "append")
        paired = parameters.get("combineBy") == "combineByPosition"
        chooses = mode == "chooseBranch" and parameters.get("output", "specifiedInput") == "specifiedInput"
        names = ["numberInputs"] if mode != "combine" or paired else []
        unfit = unfit_numbers(parameters, [*names, "useDataOfInput"] if chooses else names)
        if names and str(parameters.get("numberInputs")).startswith("="):
            unfit["numberInputs"] = "It decides which wires there are, and cannot be an expression; give a number."
        return {**super().obstacles(parameters), **unfit}

    def prevailing(self) -> frozenset[str]:
        return frozenset({"addSuffix", "preferInput1", "preferLast"})

    def way(self) -> Way:
        if self.mode == "combine":
            ways: dict[str, Way] = {
                "combineByFields": "fields",
                "combineByPosition": "position",
                "combineAll": "all",
            }
            return ways[self.combine_by]
        return {"append": "append", "combineBySql": "sql", "chooseBranch": "branch"}[self.mode]  # type: ignore[return-value]

    def branch(self) -> Branch:
        if self.output == "empty":
            return Branch(None)
        match = re.fullmatch(r"(?:input\s*)?(\d{1,2})(?:\.0)?", str(self.use_data_of_input).strip(), re.IGNORECASE)
        if match is None or not 1 <= int(match[1]) <= self.number_inputs:
            raise NodeError(
                f"The parameter useDataOfInput is '{self.use_data_of_input}', but must be a number from 1 to "
                f"{self.number_inputs}."
            )
        return Branch(int(match[1]) - 1)

    def sql(self) -> str:
        return self.query

    def pairs(self) -> list[FieldPair]:
        if self.advanced:
            return self.merge_by_fields.checked()
        names = names_of(self.fields_to_match_string)
        if not names and not self.merge_by_fields.values:
            raise NodeError("The parameter fieldsToMatchString is empty; name at least one field to match.")
        return super().pairs()


class Merge32(Merge3):
    """Version 3.2: an SQL query without rows makes no item."""


def placeholders(given: object) -> list[str | float | None]:
    """Values of a query's placeholders. Raises `NodeError`."""
    if given is None or given == "":
        return []
    if isinstance(given, str):
        return [_placed(part.strip()) for part in given.split(",")]
    return [_value(each, index) for index, each in enumerate(given if isinstance(given, list) else [given], 1)]


def _value(given: object, index: int) -> str | float | None:
    if given is None or isinstance(given, str | int | float):
        return given
    raise NodeError(f"The query parameter {index} must be a text, a number, true, false or null.")


def _placed(text: str) -> str | float:
    number = text_number(text) if text else math.nan
    return text if math.isnan(number) else number


def success_when_empty(given: CombineParameters) -> bool:
    """Whether an SQL query without rows makes the item {success: true}."""
    chosen = given.options.empty_query_result
    return not isinstance(given, Merge32) if chosen is None else chosen == "success"
