"""Lists in pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from .records import record

RowT = TypeVar("RowT")


@record
class Page(Generic[RowT]):
    """One page of a list and how many rows match in all."""

    rows: Sequence[RowT]
    total: int
