"""Parameters of Compare Datasets."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from jackfield.api.nodes import Flag, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.merging.form import COMPARE, COMPARE_OPTIONS
from jackfield_nodes.merging.parameters import FieldPair, FieldPairs

Resolve: TypeAlias = Literal["preferInput1", "preferInput2", "mix", "includeBoth"]


class CompareOptions(Parameters):
    ui_fields: ClassVar[UiFields] = COMPARE_OPTIONS

    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    fuzzy_compare: Flag = Field(False, description='Whether 3 and "3" are the same (up to version 2.2).')
    multiple_matches: Literal["all", "first"] = Field("first", description="Which of several partners an item gets.")
    skip_fields: object = Field("", description="Fields that are not compared, comma separated.")


def _untouched() -> FieldPairs:
    """The value where a document leaves it out: one pair without names."""
    return FieldPairs(values=[FieldPair()])


class CompareParameters(Parameters):
    """From version 2.2 on."""

    ui_fields: ClassVar[UiFields] = COMPARE

    strict: ClassVar[bool] = False
    """Whether a field to match by that no item has is an error."""
    skips_paths: ClassVar[bool] = True
    """Whether skipped paths inside of fields stand apart."""
    compares_missing: ClassVar[bool] = True
    """Whether a field of one item alone may fuzzily be the same in both."""
    keeps_empty: ClassVar[bool] = True
    """Whether the output keeps values such as 0 and empty text as they are, and does not turn them into null."""
    zero: ClassVar[bool] = True
    """Whether null is fuzzily like 0."""

    merge_by_fields: FieldPairs = Field(default_factory=_untouched)
    resolve: Resolve = Field("includeBoth", description="The items that go out when two differ.")
    prefer_when_mix: Literal["input1", "input2"] = Field("input1", description="Mix: the input that gives the fields.")
    except_when_mix: object = Field("", description="Mix: fields that come from the other input, comma separated.")
    fuzzy_compare: Flag = Field(False, description='Whether 3 and "3" are the same, and all that is empty.')
    options: CompareOptions = Field(default_factory=CompareOptions)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two versions of a field."""
        return "inputA", "inputB"

    @property
    def fuzzy(self) -> bool:
        return self.fuzzy_compare

    @property
    def dots(self) -> bool:
        return not self.options.disable_dot_notation


class CompareParameters21(CompareParameters):
    """Version 2.1."""

    strict: ClassVar[bool] = True


class CompareParameters2(CompareParameters21):
    """Version 2."""

    skips_paths: ClassVar[bool] = False
    compares_missing: ClassVar[bool] = False
    resolve: Resolve = Field("preferInput2", description="The items that go out when two differ.")


class CompareParameters1(CompareParameters2):
    """Version 1."""

    keeps_empty: ClassVar[bool] = False
    zero: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, str]:
        return "input1", "input2"

    @property
    def fuzzy(self) -> bool:
        return self.options.fuzzy_compare
