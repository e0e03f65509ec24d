"""Evaluations, their runs and the rows of runs, as the store keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from jackfield.api.history import stored_json
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace

RunStatus = Literal["running", "finished", "stopped", "cancelled", "failed"]
RowStatus = Literal["running", "done", "failed"]


@record
class StoredEvaluation:
    """definition: as JSON, see `EvaluationBody`; version: 1, and one more for each change. Times: Unix ms."""

    name: str
    version: int
    created_at: int
    updated_at: int
    definition: Mapping[str, Json]


@record
class Spent:
    """The cost of work. `tokens_in`: cached ones among them. `cost`: US dollars, as far as they are known. `unpriced`:
    models whose price is not known."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: Sequence[str] = ()

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def plus(self, other: Spent) -> Spent:
        return Spent(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost + other.cost,
            sorted({*self.unpriced, *other.unpriced}),
        )


@record
class RowScore:
    """One scorer's verdict on a row. `score`: 0 to 1; None: it has failed, with this error. `execution_id`: of a
    judge."""

    name: str
    score: float | None = None
    reason: str = ""
    error: str = ""
    execution_id: str | None = None


@record
class EvaluatedRow:
    """A row of a run. `row_id`: in the data table. `place`: from 0. `score`: the weighted mean of `scores`. None until
    it is scored. A row that has failed has 0. `metrics`: numbers that nodes Evaluation have set. `duration_ms`: of the
    execution, without the scorers. `revision`: of what the store has, 0: nothing."""

    row_id: int
    place: int
    status: RowStatus
    started_at: int
    input: Json = None
    expected: Json = None
    output: Json = None
    execution_id: str | None = None
    score: float | None = None
    scores: Sequence[RowScore] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    spent: Spent = Spent()
    duration_ms: int = 0
    problem: str = ""
    revision: int = 0


def bounded_value(value: Json, limit: int) -> Json:
    """The value, or the beginning of its text where that is longer. limit: bytes."""
    encoded = stored_json(value)
    return value if len(encoded) <= limit else encoded[:limit].decode(errors="ignore") + " …"


@record
class Totals:
    """Of the rows of a run that are over. `rows`: how many the run is to have. `duration_ms`: of all executions.
    `sums`: of scores, by scorer and under the empty name those of the rows. `metric_sums`: name -> sum and count."""

    rows: int = 0
    done: int = 0
    passed: int = 0
    failed: int = 0
    spent: Spent = Spent()
    duration_ms: int = 0
    sums: Mapping[str, float] = field(default_factory=dict)
    metric_sums: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def and_row(self, row: EvaluatedRow, pass_score: float) -> Totals:
        """With one row more that is over."""
        score = row.score or 0.0
        sums = {**self.sums, "": self.sums.get("", 0.0) + score}
        for each in row.scores:
            sums[each.name] = sums.get(each.name, 0.0) + (each.score or 0.0)
        metrics = dict(self.metric_sums)
        for name, value in row.metrics.items():
            total, count = metrics.get(name, (0.0, 0.0))
            metrics[name] = (total + value, count + 1)
        return replace(
            self,
            done=self.done + 1,
            passed=self.passed + (score >= pass_score and row.status == "done"),
            failed=self.failed + (row.status == "failed"),
            spent=self.spent.plus(row.spent),
            duration_ms=self.duration_ms + row.duration_ms,
            sums=sums,
            metric_sums=metrics,
        )

    def mean(self, name: str = "") -> float | None:
        """Of a scorer's scores over all rows that are over; a missing one counts 0."""
        return self.sums.get(name, 0.0) / self.done if self.done else None


@record
class EvaluationRun:
    """One run. `number`: 1, 2 ... of its evaluation. `definition`, `version`: of the evaluation as it was then.
    `workflow_version`: that ran. `owner`: who works on it, empty: nobody. `resumed`: how often another one went on with
    it. `by`: who has started it. `revision`: of what the store has."""

    id: str
    evaluation: str
    number: int
    status: RunStatus
    definition: Mapping[str, Json]
    version: int
    created_at: int
    workflow_version: int | None = None
    label: str = ""
    by: str = ""
    owner: str = ""
    resumed: int = 0
    finished_at: int | None = None
    problem: str = ""
    totals: Totals = Totals()
    revision: int = 0
