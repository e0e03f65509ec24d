"""The work from time to time: runs of daemons that are gone, and runs that are old."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.object_references import load
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.settings import EvaluationsSettings

if TYPE_CHECKING:
    from jackfield_evaluations.running.runs import EvaluationRuns

_RUNS = "jackfield_evaluations.running.runs:EvaluationRuns"
_LOOKS = 5
"""Looks at its own run between two looks at those of others."""
_HOUR_MS = 3_600_000


def start(context: PluginContext) -> None:
    context.spawn("evaluations of others", _take_over_forever(context))
    context.spawn("old runs of evaluations", _prune_forever(context))


async def stop(context: PluginContext) -> None:
    await _runs(context).leave()


def _runs(context: PluginContext) -> EvaluationRuns:
    """Their modules are imported with the first call."""
    return context.port(cast("type[EvaluationRuns]", load(_RUNS)))


async def _take_over_forever(context: PluginContext) -> None:
    settings = context.settings(EvaluationsSettings)
    while True:
        try:
            # Without runs that go on, nothing of them is loaded.
            if await context.port(EvaluationBook).open_runs():
                await _runs(context).take_over()
        except StoreUnavailable:
            context.log.warning("Runs of evaluations cannot be looked at now.")
        await context.clock.sleep(min(settings.look_interval * _LOOKS, settings.lease / 2))


async def _prune_forever(context: PluginContext) -> None:
    settings = context.settings(EvaluationsSettings)
    while True:
        await context.clock.sleep(settings.prune_interval)
        try:
            await prune_runs(context)
        except StoreUnavailable:
            context.log.warning("Old runs of evaluations cannot be deleted now.")


async def prune_runs(context: PluginContext) -> int:
    """Delete runs beyond the number and the time of the settings, but for each evaluation's newest and for those that
    go on; returns how many. Raises `StoreUnavailable`."""
    settings, book = context.settings(EvaluationsSettings), context.port(EvaluationBook)
    before = context.clock.now_ms() - settings.keep_hours * _HOUR_MS
    deleted = 0
    for evaluation in await book.evaluations():
        surplus = await book.run_count(evaluation.name) - settings.keep_runs
        kept = {run.id for run in await book.runs(evaluation.name, None, 1)}
        async for run in book.runs_of(evaluation.name):
            surplus -= 1
            old = run.finished_at is not None and run.finished_at < before
            if run.status == "running" or not (surplus >= 0 or old) or run.id in kept:
                continue
            await book.delete_run(run.id)
            deleted += 1
    return deleted
