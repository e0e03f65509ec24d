"""Tables of the command line, by rich; imported when a command prints one (`jackfield.api.cli.echo_table`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

LONGEST = 100_000
"""Columns of a line that no terminal folds."""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """See `jackfield.api.cli.echo_table`. Cells have nothing left that a terminal would obey."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold", justify="right" if name in right else "left")
    for row in rows:
        table.add_row(*map(Text, row))  # Text: a cell's brackets are no markup
    console = Console(file=sys.stdout, highlight=False)
    if console.is_terminal:
        console.print(table)
        return
    console.width = LONGEST
    with console.capture() as printed:
        console.print(table)
    # One long cell would put as many blanks behind all others of its column.
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in printed.get().removesuffix("\n").split("\n")))
