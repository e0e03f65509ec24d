"""Events of evaluations, on the topic `workflows`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_evaluations.records import EvaluationRun

_TOPIC = "workflows"


def tell_progress(context: PluginContext, run: EvaluationRun) -> None:
    _tell(context, "evaluation.progress", run)


def tell_started(context: PluginContext, run: EvaluationRun) -> None:
    _tell(context, "evaluation.started", run)


def tell_finished(context: PluginContext, run: EvaluationRun) -> None:
    _tell(context, "evaluation.finished", run)


def tell_changed(context: PluginContext, name: str) -> None:
    context.events.publish(_TOPIC, "evaluation.changed", {"evaluation": name})


def _tell(context: PluginContext, kind: str, run: EvaluationRun) -> None:
    if context.events.wanted(_TOPIC):
        totals = run.totals
        data = {"id": run.id, "evaluation": run.evaluation, "number": run.number, "status": run.status}
        context.events.publish(_TOPIC, kind, {**data, "rows": totals.rows, "done": totals.done, "score": totals.mean()})
