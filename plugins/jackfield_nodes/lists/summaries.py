"""One number, text or list for the values of a field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from pydantic import Field

from jackfield.api.javascript import whole
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, Parameters
from jackfield_nodes.values.conversions import text_of, to_number
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
"""What is put before a field's name."""


class Aggregation(Parameters):
    aggregation: Kind = Field("count", description="What is made of the field's values.")
    field: str = Field("", description="Name of the field.")
    include_empty: Flag = Field(False, description="Append, concatenate: whether empty values count.")
    separate_by: str = Field(",", description="Concatenate: what stands between values; other: customSeparator.")
    custom_separator: str = Field("", description="Concatenate: what stands between values.")

    @property
    def separator(self) -> str:
        return self.custom_separator if self.separate_by == "other" else self.separate_by


def is_empty(value: Json) -> bool:
    return value is None or value == ""


def normal_name(name: str) -> str:
    """A name without what means something in paths."""
    return re.sub(r"[ .]", "_", re.sub(r'[\]\["]', "", name))


def summary(values: Sequence[Json], row: Aggregation) -> Json:
    """What becomes of the values; null where they give nothing."""
    filled = [value for value in values if not is_empty(value)]
    match row.aggregation:
        case "append":
            return list(values if row.include_empty else filled)
        case "concatenate":
            return row.separator.join(map(text_of, values if row.include_empty else filled))
        case "count":
            return len(filled)
        case "countUnique":
            return len(set(map(identity, filled)))
        case "min" | "max":
            return _extreme(filled, largest=row.aggregation == "max")
        case "sum":
            return _number(sum(_numbers(filled)))
        case "average":
            numbers = _numbers(filled)
            return _number(sum(numbers) / len(numbers)) if numbers else None


def _numbers(values: Sequence[Json]) -> list[float]:
    """Only what is a number already."""
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _number(value: float) -> float | None:
    """As JSON writes it: whole numbers without a point, nothing for what is no number."""
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    return whole(value)


def _extreme(values: Sequence[Json], *, largest: bool) -> Json:
    best: Json = None
    for value in values:
        if best is None or (_less(best, value) if largest else _less(value, best)):
            best = value
    return best


def _less(left: Json, right: Json) -> bool:
    """As JavaScript compares: text with text, everything else as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    try:
        return to_number(left) < to_number(right)
    except ValueError:
        return False
