"""The subject of scorers: one row, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_evaluations.records import Spent


@record
class ScoredSubject:
    """`row`: of the data table. `input`: the item that it became. `output`, `expected`: as the definition makes them.
    `metrics`: numbers that the workflow's nodes Evaluation have set."""

    row: Mapping[str, Json]
    input: Json
    output: Json
    expected: Json
    metrics: Mapping[str, float]
    spent: Spent
    duration_ms: int

    def as_json(self) -> dict[str, Json]:
        """`$json` of expressions and programs."""
        return {
            "row": dict(self.row),
            "input": self.input,
            "output": self.output,
            "expected": self.expected,
            "metrics": dict(self.metrics),
            "durationMs": self.duration_ms,
            "tokens": self.spent.tokens,
            "cost": self.spent.cost,
        }
