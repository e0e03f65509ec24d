"""Queries, bodies and answers of the routes of evaluations."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema
from jackfield_evaluations.definition import EvaluationBody, EvaluationPart


class _Shown(Schema):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


class EvaluationChange(EvaluationBody):
    """The whole definition. version: of the evaluation that it was made of; null: whichever there is."""

    version: int | None = Field(None, ge=1)


class StartedEvaluation(EvaluationPart):
    """workflowVersion: of the workflow, in place of the definition's; label: a few words by which people know the
    run."""

    workflow_version: int | None = Field(None, ge=1)
    label: str = Field("", max_length=200)


class EvaluationTotals(_Shown):
    """Of the rows that are over. `score`, `scores`, `metrics`: means. `cost`: US dollars, as far as they are known.
    `unpriced`: models without a known price. `durationMs`: of all executions together."""

    rows: int
    done: int
    passed: int
    failed: int
    score: float | None
    scores: dict[str, float | None]
    metrics: dict[str, float]
    tokens_in: int
    tokens_out: int
    cost: float
    unpriced: list[str]
    duration_ms: int


class EvaluationRunShown(_Shown):
    """`version`: of the evaluation. `workflowVersion`: that ran, null for a profile. `resumed`: how often another
    daemon, or this one after a crash, went on with it."""

    id: str
    evaluation: str
    number: int
    status: Literal["running", "finished", "stopped", "cancelled", "failed"]
    version: int
    workflow_version: int | None
    label: str
    started_by: str
    created_at: str
    finished_at: str | None
    problem: str
    resumed: int
    pass_score: float
    totals: EvaluationTotals


class EvaluationRunDetail(EvaluationRunShown):
    """definition: the evaluation as it was."""

    definition: dict[str, JsonValue]


class EvaluationShown(_Shown):
    """lastRun: the newest one."""

    name: str
    version: int
    created_at: str
    updated_at: str
    definition: dict[str, JsonValue]
    last_run: EvaluationRunShown | None


class EvaluationList(_Shown):
    data: list[EvaluationShown]
    total: int
    offset: int
    limit: int


class EvaluationRunList(_Shown):
    """before: for the query of the page that follows; null: there is none."""

    data: list[EvaluationRunShown]
    total: int
    before: int | None


class RowScoreShown(_Shown):
    """score: null where the scorer has failed; executionId: of a judge's question."""

    name: str
    score: float | None
    reason: str
    error: str
    execution_id: str | None


class EvaluatedRowShown(_Shown):
    row_id: int
    place: int
    status: Literal["running", "done", "failed"]
    passed: bool
    input: JsonValue
    expected: JsonValue
    output: JsonValue
    execution_id: str | None
    score: float | None
    scores: list[RowScoreShown]
    metrics: dict[str, float]
    tokens_in: int
    tokens_out: int
    cost: float
    unpriced: list[str]
    duration_ms: int
    problem: str
    started_at: str


class EvaluatedRowList(_Shown):
    data: list[EvaluatedRowShown]
    total: int
    offset: int
    limit: int


class ComparedRow(_Shown):
    """change: by the score; `new` and `gone`: one of the runs has no such row. before, after: the row in each run."""

    row_id: int
    change: Literal["better", "worse", "same", "new", "gone"]
    before: EvaluatedRowShown | None
    after: EvaluatedRowShown | None


class EvaluationComparison(_Shown):
    """`rows`: the changed ones, then the others, at most 1000, each value shortened to 2 KiB. `counts`: of every
    change. `definitionChanged`: whether both runs have another definition."""

    before: EvaluationRunShown
    after: EvaluationRunShown
    counts: dict[str, int]
    definition_changed: bool
    rows: list[ComparedRow]


class EvaluationsQuery(Schema):
    """search: a part of the name, in any case."""

    offset: int = Field(0, ge=0)
    limit: int = Field(50, ge=1, le=100)
    search: str = Field("", max_length=100)


class EvaluationRunsQuery(Schema):
    before: int | None = Field(None, ge=1)
    limit: int = Field(50, ge=1, le=200)


class EvaluatedRowsQuery(Schema):
    offset: int = Field(0, ge=0)
    limit: int = Field(50, ge=1, le=200)
