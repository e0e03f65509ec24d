"""`/evaluations/{name}/runs` and `/evaluation-runs`: runs, their rows, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield_evaluations.book import EvaluationBook, missing_evaluation, missing_run
from jackfield_evaluations.comparing import RowDifference, compared_rows, counts_of
from jackfield_evaluations.http.access import EvaluationAccess
from jackfield_evaluations.http.definitions import READ, TAGS, WRITE, Route, schema, service_of
from jackfield_evaluations.http.views import pass_score_of, row_view, run_detail, run_view
from jackfield_evaluations.running.runs import EvaluationRuns

if TYPE_CHECKING:
    from jackfield.api.jsontext import Json
    from jackfield_evaluations.http.schemas import EvaluatedRowsQuery, EvaluationRunsQuery, StartedEvaluation
    from jackfield_evaluations.records import EvaluationRun

_EXECUTIONS = "executions:read"
_MOST_COMPARED = 1000
"""Rows in one comparison."""


class EvaluationRunRoutes:
    """Views. Rows show data of executions, so they need `executions:read` as well."""

    name = "evaluation_runs"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(EvaluationBook)
        self._access = EvaluationAccess(context)

    def routes(self) -> Sequence[Route]:
        one = "/evaluation-runs/<run_id>"
        return (
            ("POST", "/evaluations/<name>/runs", self.start_evaluation),
            ("GET", "/evaluations/<name>/runs", self.list_evaluation_runs),
            ("GET", one, self.get_evaluation_run),
            ("DELETE", one, self.delete_evaluation_run),
            ("POST", f"{one}/cancel", self.cancel_evaluation_run),
            ("GET", f"{one}/rows", self.list_evaluated_rows),
            ("GET", f"{one}/compare/<other_id>", self.get_evaluation_comparison),
        )

    @operation(
        "Start a run of an evaluation and answer once it is stored",
        scope=WRITE,
        request=schema("StartedEvaluation"),
        response=schema("EvaluationRunDetail"),
        status=202,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def start_evaluation(self, name: str) -> Response:
        body: StartedEvaluation = await read_model(schema("StartedEvaluation"))
        run = await service_of(self._context).start(name, body, principal())
        return json_response(run_detail(run), 202)

    @operation(
        "List the runs of an evaluation, the newest first",
        scope=READ,
        query=schema("EvaluationRunsQuery"),
        response=schema("EvaluationRunList"),
        tags=TAGS,
    )
    async def list_evaluation_runs(self, name: str) -> Response:
        query: EvaluationRunsQuery = read_query(schema("EvaluationRunsQuery"))
        known = await self._book.evaluation(name)
        await self._access.require_seen(known.definition, missing_evaluation(name))
        found = await self._book.runs(name, query.before, query.limit)
        rows: list[Json] = [run_view(self._standing(run)) for run in found if await self._access.sees(run.definition)]
        before = found[-1].number if len(found) == query.limit else None
        return json_response({"data": rows, "total": await self._book.run_count(name), "before": before})

    @operation("Read a run of an evaluation", scope=READ, response=schema("EvaluationRunDetail"), tags=TAGS)
    async def get_evaluation_run(self, run_id: str) -> Response:
        return json_response(run_detail(self._standing(await self._run(run_id))))

    @operation("Delete a run of an evaluation with its rows", scope=WRITE, status=204, tags=TAGS, errors=(Conflict,))
    async def delete_evaluation_run(self, run_id: str) -> Response:
        run = await self._run_to_change(run_id)
        if run.status == "running":
            raise Conflict(f"The run {run.number} of {run.evaluation} goes on; cancel it first.")
        await self._book.delete_run(run_id)
        return Response(status=204)

    @operation(
        "Cancel a run of an evaluation, wherever it goes on",
        scope=WRITE,
        response=schema("EvaluationRunDetail"),
        status=202,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def cancel_evaluation_run(self, run_id: str) -> Response:
        await self._run_to_change(run_id)
        return json_response(run_detail(await self._context.port(EvaluationRuns).cancel(run_id)), 202)

    @operation(
        "List the rows of a run, with their scores",
        scope=READ,
        query=schema("EvaluatedRowsQuery"),
        response=schema("EvaluatedRowList"),
        tags=TAGS,
    )
    async def list_evaluated_rows(self, run_id: str) -> Response:
        principal().require(_EXECUTIONS)
        query: EvaluatedRowsQuery = read_query(schema("EvaluatedRowsQuery"))
        run = await self._run(run_id)
        found = await self._book.rows(run_id, query.offset - 1, query.limit)
        rows: list[Json] = [row_view(row, pass_score_of(run)) for row in found]
        total = await self._book.row_count(run_id)
        return json_response({"data": rows, "total": total, "offset": query.offset, "limit": query.limit})

    @operation(
        "Compare a run with a later one, row by row",
        scope=READ,
        response=schema("EvaluationComparison"),
        tags=TAGS,
    )
    async def get_evaluation_comparison(self, run_id: str, other_id: str) -> Response:
        principal().require(_EXECUTIONS)
        before, after = await self._run(run_id), await self._run(other_id)
        if before.evaluation != after.evaluation:
            details = {"other_id": f"name a run of {before.evaluation}"}
            raise InvalidInput("The runs belong to different evaluations.", details=details)
        changes = await compared_rows(self._book, run_id, other_id)
        return json_response(
            {
                "before": run_view(before),
                "after": run_view(after),
                "counts": dict(counts_of(changes)),
                "definitionChanged": before.definition != after.definition,
                "rows": [_changed(each, before, after) for each in changes[:_MOST_COMPARED]],
            }
        )

    async def _run(self, run_id: str) -> EvaluationRun:
        run = await self._book.run(run_id)
        await self._access.require_seen(run.definition, missing_run(run_id))
        return run

    async def _run_to_change(self, run_id: str) -> EvaluationRun:
        run = await self._book.run(run_id)
        await self._access.require_change(run.definition, missing_run(run_id))
        return run

    def _standing(self, run: EvaluationRun) -> EvaluationRun:
        runs = self._context.built_port(EvaluationRuns)
        return run if runs is None else runs.standing(run)


def _changed(change: RowDifference, before: EvaluationRun, after: EvaluationRun) -> dict[str, Json]:
    earlier, later = change.before, change.after
    return {
        "rowId": change.row_id,
        "change": change.change,
        "before": None if earlier is None else row_view(earlier, pass_score_of(before)),
        "after": None if later is None else row_view(later, pass_score_of(after)),
    }
