"""Two runs side by side: which rows got better, and which worse."""

from __future__ import annotations

from typing import Literal

from jackfield.api.records import record, replace
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.records import EvaluatedRow, bounded_value

Change = Literal["better", "worse", "same", "new", "gone"]
_ORDER: tuple[Change, ...] = ("worse", "better", "new", "gone", "same")
LONGEST_COMPARED = 2048
"""Bytes of each value: all rows of two runs are held at once."""
_LEAST = 1e-9
"""Differences of scores that are none."""


@record
class RowDifference:
    """before, after: None where the run has no such row. Their values are shortened."""

    row_id: int
    change: Change
    before: EvaluatedRow | None
    after: EvaluatedRow | None


async def compared_rows(book: EvaluationBook, before: str, after: str) -> list[RowDifference]:
    """Of two runs, by their ids: the changed rows first, each group in the order of the rows. Rows that are not over
    count as missing."""
    earlier = {row.row_id: _short(row) async for row in book.rows_of(before) if row.status != "running"}
    later = {row.row_id: _short(row) async for row in book.rows_of(after) if row.status != "running"}
    found = [_change(row_id, earlier.get(row_id), later.get(row_id)) for row_id in sorted({*earlier, *later})]
    return sorted(found, key=lambda each: _ORDER.index(each.change))


def _short(row: EvaluatedRow) -> EvaluatedRow:
    return replace(
        row,
        input=bounded_value(row.input, LONGEST_COMPARED),
        expected=bounded_value(row.expected, LONGEST_COMPARED),
        output=bounded_value(row.output, LONGEST_COMPARED),
    )


def counts_of(changes: list[RowDifference]) -> dict[str, int]:
    return {change: sum(each.change == change for each in changes) for change in _ORDER}


def _change(row_id: int, before: EvaluatedRow | None, after: EvaluatedRow | None) -> RowDifference:
    if before is None or after is None:
        return RowDifference(row_id, "new" if before is None else "gone", before, after)
    difference = (after.score or 0.0) - (before.score or 0.0)
    change: Change = "same" if abs(difference) < _LEAST else "better" if difference > 0 else "worse"
    return RowDifference(row_id, change, before, after)
