"""Parameters of Compare Datasets."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from jackfield.api.nodes import Flag, Parameters
from jackfield_nodes.merging.parameters import FieldPairs

Resolve: TypeAlias = Literal["preferInput1", "preferInput2", "mix", "includeBoth"]


class CompareOptions(Parameters):
    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    fuzzy_compare: Flag = Field(False, description='Whether 3 and "3" are the same (up to version 2.2).')
    multiple_matches: Literal["all", "first"] = Field("first", description="Which of several partners an item gets.")
    skip_fields: object = Field("", description="Fields that are not compared, comma separated.")


class CompareParameters(Parameters):
    """Every version."""

    merge_by_fields: FieldPairs = Field(default_factory=FieldPairs)
    resolve: Resolve = Field("includeBoth", description="What goes out for items that differ.")
    prefer_when_mix: Literal["input1", "input2"] = Field("input1", description="Mix: whose fields go out.")
    except_when_mix: object = Field("", description="Mix: fields that come from the other input, comma separated.")
    fuzzy_compare: Flag = Field(False, description='Whether 3 and "3" are the same, and all that is empty.')
    options: CompareOptions = Field(default_factory=CompareOptions)

    @property
    def names(self) -> tuple[str, str]:
        """What the two versions of a field are called."""
        return "inputA", "inputB"

    @property
    def fuzzy(self) -> bool:
        return self.fuzzy_compare or self.options.fuzzy_compare

    @property
    def dots(self) -> bool:
        return not self.options.disable_dot_notation


class CompareParameters2(CompareParameters):
    """Version 2."""

    resolve: Resolve = Field("preferInput2", description="What goes out for items that differ.")


class CompareParameters1(CompareParameters2):
    """Version 1."""

    @property
    def names(self) -> tuple[str, str]:
        return "input1", "input2"
