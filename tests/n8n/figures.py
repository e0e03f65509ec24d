"""The table of families: printed at the end of a run, and with `--write` kept in docs/n8n.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "n8n.md"
START, END = "<!-- table: start -->", "<!-- table: end -->"
HEAD = ("| Family | Cases | Equal | Listed |", "| --- | ---: | ---: | ---: |")

ROW = re.compile(r"\| (.+) \| ([\d,]+) \| ([\d,]+) \([\d.]+ %\) \| ([\d,]+) \|")


@dataclass(frozen=True)
class Figures:
    """Of one family. different: also those that the list has."""

    family: str
    cases: int
    different: int
    listed: int

    def row(self) -> str:
        equal = self.cases - self.different
        share = 100 * equal / max(self.cases, 1)
        return f"| {self.family} | {self.cases:,} | {equal:,} ({share:.1f} %) | {self.listed:,} |"


def rows(found: Sequence[Figures]) -> list[str]:
    total = Figures("all", *(sum(getattr(one, key) for one in found) for key in ("cases", "different", "listed")))
    return [*(one.row() for one in found), total.row()]


def keep(found: Sequence[Figures], order: Sequence[str]) -> None:
    """Put the table in its place on the page. Families that did not run keep their figures. order: every family."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START, 1)
    given, behind = rest.split(END, 1)
    known = {one.family: one for one in (*_read(given), *found)}
    table = "\n".join((*HEAD, *rows([known[name] for name in order if name in known])))
    PAGE.write_text(f"{before}{START}\n\n{table}\n\n{END}{behind}", encoding="utf-8")


def _read(table: str) -> Iterator[Figures]:
    for line in table.splitlines():
        if match := ROW.fullmatch(line):
            cases, equal, listed = (int(number.replace(",", "")) for number in match.groups()[1:])
            yield Figures(match[1], cases, cases - equal, listed)
