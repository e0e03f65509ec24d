"""What a scenario measured: printed, and with `--write` kept in docs/reliability.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
START, END = "<!-- generated: figures -->", "<!-- end: figures -->"
HEAD = ("| Scenario | Count | Figures | Measured |", "| --- | --- | --- | --- |")


@dataclass
class Figures:
    """scenario: as `--scenario` names it; count: how often; values: names with what was measured."""

    scenario: str
    count: int = 0
    unit: str = ""
    values: dict[str, object] = field(default_factory=dict)
    violations: dict[str, Sequence[object]] = field(default_factory=dict)

    def note(self, **values: object) -> None:
        """Underscores of names stand for spaces."""
        self.values |= {name.replace("_", " "): value for name, value in values.items()}

    def times(self, name: str, seconds: Sequence[float]) -> None:
        """The 50th and the 99th percentile, in milliseconds."""
        if seconds:
            p50, p99 = (percentile(seconds, share) * 1000 for share in (0.5, 0.99))
            self.values[f"{name} p50/p99"] = f"{p50:.1f}/{p99:.1f} ms"

    def violate(self, found: Mapping[str, Sequence[object]]) -> None:
        self.violations |= {kind: which for kind, which in found.items() if which}

    def row(self) -> str:
        said = ", ".join(f"{name} {_text(value)}" for name, value in self.values.items())
        when = datetime.now(UTC).date().isoformat()
        return f"| {self.scenario} | {self.count:,} {self.unit} | {said} | {when} |"

    def check(self) -> None:
        """Raises AssertionError with the first of each kind of violation."""
        shown = {kind: (len(which), [*which][:5]) for kind, which in self.violations.items()}
        assert not self.violations, f"{self.scenario}: {shown}"


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def keep(rows: Sequence[str], page: Path = PAGE) -> None:
    """Replace the rows of these scenarios in the page's table, and leave the others."""
    before, rest = page.read_text(encoding="utf-8").split(START, 1)
    table, behind = rest.split(END, 1)
    kept = {_name(line): line for line in table.splitlines() if line.startswith("| ") and line not in HEAD}
    kept |= {_name(line): line for line in rows}
    lines = [START, *HEAD, *(kept[name] for name in sorted(kept)), END]
    page.write_text(before + "\n".join(lines) + behind, encoding="utf-8")


def _name(row: str) -> str:
    return row.split("|")[1].strip()
