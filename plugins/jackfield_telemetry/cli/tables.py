"""Tables of figures that fit the terminal: where they are too wide, the columns that matter least are left out."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from rich.cells import cell_len

from jackfield.api.cli import echo_table
from jackfield.api.records import record

_GAP = 2
"""Characters between two columns."""


@record
class FigureColumn:
    """rank: 0 is always shown; of the others the one with the highest is left out first. right: figures."""

    name: str
    rank: int = 0
    right: bool = True


def echo_fitting(columns: Sequence[FigureColumn], rows: Sequence[Sequence[str]]) -> None:
    """As wide as the terminal; elsewhere everything."""
    kept: Sequence[int] = range(len(columns))
    if sys.stdout.isatty():
        kept = fitting(columns, rows, shutil.get_terminal_size().columns)
    names = [columns[place].name for place in kept]
    right = [columns[place].name for place in kept if columns[place].right]
    echo_table(names, [[row[place] for place in kept] for row in rows], empty="There is no use.", right=right)


def fitting(columns: Sequence[FigureColumn], rows: Sequence[Sequence[str]], width: int) -> Sequence[int]:
    """Places of the columns that have room side by side, in their order."""
    widths = [max(map(cell_len, [column.name, *(row[place] for row in rows)])) for place, column in enumerate(columns)]
    kept = list(range(len(columns)))
    while sum(widths[place] + _GAP for place in kept) - _GAP > width:
        last = max(kept, key=lambda place: columns[place].rank)
        if columns[last].rank == 0:
            break
        kept.remove(last)
    return kept


def number(value: int) -> str:
    return f"{value:,}"


def dollars(value: float) -> str:
    """Cents, and below a dollar their hundredths."""
    if 0 < value < 0.00005:
        return "<$0.0001"
    return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"


def several(names: Sequence[str], most: int = 2) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} +{len(names) - most}"
