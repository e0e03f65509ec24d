"""Evaluations, runs and rows as callers see them."""

from __future__ import annotations

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield_evaluations.records import EvaluatedRow, EvaluationRun, RowScore, Spent, StoredEvaluation, Totals


def evaluation_view(evaluation: StoredEvaluation, last: EvaluationRun | None) -> dict[str, Json]:
    return {
        "name": evaluation.name,
        "version": evaluation.version,
        "createdAt": iso(evaluation.created_at),
        "updatedAt": iso(evaluation.updated_at),
        "definition": dict(evaluation.definition),
        "lastRun": None if last is None else run_view(last),
    }


def run_view(run: EvaluationRun) -> dict[str, Json]:
    return {
        "id": run.id,
        "evaluation": run.evaluation,
        "number": run.number,
        "status": run.status,
        "version": run.version,
        "workflowVersion": run.workflow_version,
        "label": run.label,
        "startedBy": run.by,
        "createdAt": iso(run.created_at),
        "finishedAt": None if run.finished_at is None else iso(run.finished_at),
        "problem": run.problem,
        "resumed": run.resumed,
        "passScore": pass_score_of(run),
        "totals": _totals(run.totals),
    }


def run_detail(run: EvaluationRun) -> dict[str, Json]:
    return {**run_view(run), "definition": dict(run.definition)}


def pass_score_of(run: EvaluationRun) -> float:
    found = run.definition.get("passScore")
    return float(found) if isinstance(found, int | float) else 0.5


def _totals(totals: Totals) -> dict[str, Json]:
    return {
        "rows": totals.rows,
        "done": totals.done,
        "passed": totals.passed,
        "failed": totals.failed,
        "score": totals.mean(),
        "scores": {name: totals.mean(name) for name in totals.sums if name},
        "metrics": {name: total / count for name, (total, count) in totals.metric_sums.items() if count},
        **_spent(totals.spent),
        "durationMs": totals.duration_ms,
    }


def _spent(spent: Spent) -> dict[str, Json]:
    return {
        "tokensIn": spent.tokens_in,
        "tokensOut": spent.tokens_out,
        "cost": spent.cost,
        "unpriced": list(spent.unpriced),
    }


def row_view(row: EvaluatedRow, pass_score: float) -> dict[str, Json]:
    return {
        "rowId": row.row_id,
        "place": row.place,
        "status": row.status,
        "passed": row.status == "done" and (row.score or 0.0) >= pass_score,
        "input": row.input,
        "expected": row.expected,
        "output": row.output,
        "executionId": row.execution_id,
        "score": row.score,
        "scores": [_score(each) for each in row.scores],
        "metrics": dict(row.metrics),
        **_spent(row.spent),
        "durationMs": row.duration_ms,
        "problem": row.problem,
        "startedAt": iso(row.started_at),
    }


def _score(score: RowScore) -> dict[str, Json]:
    return {
        "name": score.name,
        "score": score.score,
        "reason": score.reason,
        "error": score.error,
        "executionId": score.execution_id,
    }
