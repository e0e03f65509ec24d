"""Lists in pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .records import record

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

LONGEST_NUMBER = 40
"""Characters."""

RowT = TypeVar("RowT")


@record
class Page(Generic[RowT]):
    """One page of a list and how many rows match in all."""

    rows: Sequence[RowT]
    total: int


@record
class Clamped:
    """Of a number in a query model: `Annotated[int, Clamped(1, 100)]`. One that is out of range becomes the nearest
    that is not; OpenAPI shows the range."""

    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        numbers = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.no_info_before_validator_function(self._clamped, numbers)

    def _clamped(self, value: object) -> object:
        text = str(value)
        if not text.removeprefix("-").isdecimal() or len(text) > LONGEST_NUMBER:
            return value
        return min(max(int(text), self.low), self.high)
