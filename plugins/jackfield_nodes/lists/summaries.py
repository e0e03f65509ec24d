"""One number, text or list for the values of a field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from jackfield.api.javascript import UNDEFINED, to_string, whole
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.lists.form import AGGREGATION
from jackfield_nodes.values.comparing import smaller
from jackfield_nodes.values.conversions import text_of
from jackfield_nodes.values.fields import identity

Kind: TypeAlias = Literal["append", "average", "concatenate", "count", "countUnique", "max", "min", "sum"]

DISPLAY_NAMES: Mapping[Kind, str] = {
    "append": "appended_",
    "average": "average_",
    "concatenate": "concatenated_",
    "count": "count_",
    "countUnique": "unique_count_",
    "max": "max_",
    "min": "min_",
    "sum": "sum_",
}
"""The prefix of a field's name."""


class Aggregation(Parameters):
    ui_fields: ClassVar[UiFields] = AGGREGATION

    aggregation: Kind = Field("count", description="The result that is made of the field's values.")
    field: str = Field("", description="Name of the field.")
    include_empty: Flag = Field(False, description="Whether empty values count, except for numbers.")
    separate_by: str = Field(",", description="Concatenate: what stands between values; other: customSeparator.")
    custom_separator: str = Field("", description="Concatenate: the text between the values.")

    @property
    def separator(self) -> str:
        return self.custom_separator if self.separate_by == "other" else self.separate_by


class SummaryStyle(NamedTuple):
    """How versions differ.

    `counts_empty`: whether counts may include empty values. `numeric_extremes`: whether minimum and maximum are of
    numbers alone. `plain_names`: whether the names of fields stay as they are. `object_groups`: whether groups are
    names of an object, so that they are texts, and whole numbers come first.
    """

    counts_empty: bool = True
    numeric_extremes: bool = False
    plain_names: bool = False
    object_groups: bool = False


def is_empty(value: object) -> bool:
    return value is None or value is UNDEFINED or value == ""


def normal_name(name: str) -> str:
    """A name without what means something in paths."""
    return re.sub(r"[ .]", "_", re.sub(r'[\]\["]', "", name))


def summary(values: Sequence[object], row: Aggregation, style: SummaryStyle) -> Json:
    """The summary of the values, `UNDEFINED` where an item has none; null where they give nothing."""
    empty = row.include_empty and (style.counts_empty or row.aggregation not in {"count", "countUnique"})
    chosen = [value for value in values if empty or not is_empty(value)]
    match row.aggregation:
        case "append":
            return [None if value is UNDEFINED else value for value in chosen]  # type: ignore[misc]  # items' values
        case "concatenate":
            return row.separator.join(map(_printed, chosen))
        case "count":
            return len(chosen)
        case "countUnique":
            return len({id(value) if isinstance(value, list | dict) else identity(value) for value in chosen})
        case "min" | "max":
            filled = _numbers(values) if style.numeric_extremes else [one for one in values if not is_empty(one)]
            return _extreme(filled, largest=row.aggregation == "max")
        case "sum":
            return _number(sum(_numbers(values)))
        case "average":
            numbers = _numbers(values)
            return _number(sum(numbers) / len(numbers)) if numbers else None


def _printed(value: object) -> str:
    return to_string(value) if value is None or value is UNDEFINED else text_of(value)


def _numbers(values: Sequence[object]) -> list[float]:
    """Only what is a number already."""
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _number(value: float) -> float | None:
    """As JSON writes it: whole numbers without a point, nothing for what is no number."""
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    return whole(value)


def _extreme(values: Sequence[object], *, largest: bool) -> Json:
    best: object = UNDEFINED
    for value in values:
        if best is UNDEFINED or (smaller(best, value) if largest else smaller(value, best)):
            best = value
    return None if best is UNDEFINED else best  # type: ignore[return-value]  # an item's value
