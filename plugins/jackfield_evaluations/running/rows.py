"""One row of a run: its execution, its output, its scores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield.api.storage.tables import DataRow, DataTable
from jackfield.api.workflows import Workflow
from jackfield_evaluations.definition import EvaluationBody, WorkflowTarget
from jackfield_evaluations.executing.executions import (
    EvaluationTask,
    RanExecution,
    await_execution,
    first_item,
    run_execution,
)
from jackfield_evaluations.executing.spending import spent_by
from jackfield_evaluations.nodes.kinds import TRIGGER
from jackfield_evaluations.records import EvaluatedRow, bounded_value
from jackfield_evaluations.running.targets import metrics_of
from jackfield_evaluations.scoring.scoring import verdict_of
from jackfield_evaluations.scoring.subject import ScoredSubject
from jackfield_evaluations.scoring.templates import evaluated
from jackfield_evaluations.scoring.verdicts import ScorerFailed
from jackfield_evaluations.settings import EvaluationsSettings

Keep = Callable[[EvaluatedRow], Awaitable[None]]


@record
class RowWork:
    """The common part of all rows of a run. `keep`: stores a row, durably. `started`: gets the id of each execution
    that begins."""

    context: PluginContext
    definition: EvaluationBody
    workflow: Workflow
    start: str
    keep: Keep
    started: Callable[[str], None]

    @property
    def settings(self) -> EvaluationsSettings:
        return self.context.settings(EvaluationsSettings)


def row_json(table: DataTable, row: DataRow) -> dict[str, Json]:
    """A row as workflows see it, without its times."""
    made: dict[str, Json] = {"id": row.id}
    for column in table.columns:
        cell = row.cells.get(column.name)
        made[column.name] = iso(int(cell)) if column.type == "date" and isinstance(cell, int | float) else cell
    return made


async def finish_row(work: RowWork, json: Mapping[str, Json], row: EvaluatedRow, left: int) -> EvaluatedRow:
    """Run the row and score it, or go on where its execution stands already. left: rows that follow. A failure is the
    row's problem. Raises `StoreUnavailable`."""
    try:
        given = await _input(work, json, row, left)
        row = replace(row, input=given)
        ran = await _ran(work, row, given)
        return await _scored(work, json, row, ran)
    except StoreUnavailable:
        raise  # the row goes on where it stands, once the store answers
    except (JackfieldError, ScorerFailed) as exc:
        return replace(row, status="failed", score=0.0, problem=exc.message, input=_bounded(work, row.input))


async def _input(work: RowWork, json: Mapping[str, Json], row: EvaluatedRow, left: int) -> dict[str, Json]:
    """The JSON of the item that the execution begins with."""
    made = dict(json)
    if work.definition.input:
        value = await evaluated(work.context, work.definition.input, json)
        if not isinstance(value, dict):
            raise ScorerFailed("The template input gives no object; give one, such as ={{ {question: $json.text} }}.")
        made = value
    node = work.workflow.nodes.get(work.start)
    if node is not None and node.kind == TRIGGER:
        made = {**made, "row_number": row.place, "row_id": row.row_id, "_rowsLeft": left}
    return made


async def _ran(work: RowWork, row: EvaluatedRow, given: dict[str, Json]) -> RanExecution:
    seconds = work.settings.row_timeout
    if row.execution_id is not None:
        try:
            work.started(row.execution_id)
            return await await_execution(work.context, row.execution_id, seconds)
        except NotFound:
            pass  # what was to start it has ended before

    async def noted(execution_id: str) -> None:
        await work.keep(replace(row, execution_id=execution_id, input=_bounded(work, given)))
        work.started(execution_id)

    task = EvaluationTask(work.workflow, work.start, [{"json": given}])
    return await run_execution(work.context, task, seconds, noted)


async def _scored(work: RowWork, json: Mapping[str, Json], row: EvaluatedRow, ran: RanExecution) -> EvaluatedRow:
    spent = await spent_by(work.context, work.workflow, ran.records)
    row = replace(row, execution_id=ran.id, spent=spent, duration_ms=ran.duration_ms)
    if ran.problem:
        raised = replace(row, status="failed", score=0.0, problem=ran.problem)
        return replace(raised, input=_bounded(work, row.input))
    subject = await _subject(work, json, row, ran)

    async def noted(execution_id: str) -> None:
        work.started(execution_id)

    verdict = await verdict_of(work.context, work.definition, subject, noted)
    broken = next((each for each in verdict.scores if each.error), None)
    return replace(
        row,
        status="done" if broken is None else "failed",
        problem="" if broken is None else f"The scorer {broken.name}: {broken.error}",
        input=await asyncio.to_thread(_bounded, work, row.input),
        expected=await asyncio.to_thread(_bounded, work, subject.expected),
        output=await asyncio.to_thread(_bounded, work, subject.output),
        score=verdict.score,
        scores=verdict.scores,
        metrics=subject.metrics,
        spent=spent.plus(verdict.spent),
    )


async def _subject(work: RowWork, json: Mapping[str, Json], row: EvaluatedRow, ran: RanExecution) -> ScoredSubject:
    whole = _output(work, ran)
    metrics = metrics_of(work.workflow, ran.records)
    made = ScoredSubject(json, row.input, whole, None, metrics, row.spent, row.duration_ms)
    definition = work.definition
    if definition.expected:
        made = replace(made, expected=await evaluated(work.context, definition.expected, made.as_json()))
    if definition.output:
        made = replace(made, output=await evaluated(work.context, definition.output, made.as_json()))
    return made


def _output(work: RowWork, ran: RanExecution) -> Json:
    """The JSON of the first item; of an agent its answer."""
    target = work.definition.target
    if isinstance(target, WorkflowTarget):
        if target.output_node:
            found = first_item(ran.records, target.output_node)
            if found is None:
                raise ScorerFailed(f"The node {target.output_node} gave no item.")
            return dict(found)  # type: ignore[arg-type]  # of stored JSON
        items = ran.outcome.items
        return items[0]["json"] if items else None
    answer = ran.outcome.items[0]["json"] if ran.outcome.items else {}
    return answer.get("data" if target.output_format == "json" else "result")


def _bounded(work: RowWork, value: Json) -> Json:
    """The value, or the beginning of its text where it is too long to be kept."""
    return bounded_value(value, work.settings.output_limit)
