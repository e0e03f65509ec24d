"""A row's scores: every scorer of the definition, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.records import record
from jackfield_evaluations.definition import CodeScorer, EvaluationBody, ExpressionScorer, JudgeScorer, Scorer
from jackfield_evaluations.executing.executions import Noted
from jackfield_evaluations.records import RowScore, Spent
from jackfield_evaluations.scoring.judging import Judged, judged
from jackfield_evaluations.scoring.programs import program_value
from jackfield_evaluations.scoring.subject import ScoredSubject
from jackfield_evaluations.scoring.templates import evaluated
from jackfield_evaluations.scoring.verdicts import ScorerFailed, on_scale, scored
from jackfield_evaluations.settings import EvaluationsSettings


@record
class RowVerdict:
    """score: the weighted mean; a scorer that has failed counts 0. spent: by judges."""

    score: float
    scores: Sequence[RowScore]
    spent: Spent


async def verdict_of(
    context: PluginContext, definition: EvaluationBody, subject: ScoredSubject, noted: Noted
) -> RowVerdict:
    """noted: gets the ids of judges' executions. Raises `StoreUnavailable`."""
    scores: list[RowScore] = []
    spent = Spent()
    for scorer in definition.scorers:
        one = await _one(context, scorer, subject, noted)
        scores.append(one.score)
        spent = spent.plus(one.spent)
    weights = [each.weight for each in definition.scorers]
    total = sum(weight * (each.score or 0.0) for weight, each in zip(weights, scores, strict=True))
    return RowVerdict(total / sum(weights), scores, spent)


async def _one(context: PluginContext, scorer: Scorer, subject: ScoredSubject, noted: Noted) -> Judged:
    settings = context.settings(EvaluationsSettings)
    try:
        if isinstance(scorer, JudgeScorer):
            return await judged(context, scorer, subject, settings.row_timeout, noted)
        if isinstance(scorer, ExpressionScorer):
            value = await evaluated(context, scorer.expression, subject.as_json())
        elif isinstance(scorer, CodeScorer):
            value = await program_value(context, scorer, subject, settings.script_timeout)
        elif scorer.metric not in subject.metrics:
            raise ScorerFailed(f"The workflow has set no metric {scorer.metric}.")
        else:
            value = on_scale(subject.metrics[scorer.metric], scorer.lowest, scorer.highest)
        return Judged(scored(scorer.name, value), Spent())
    except StoreUnavailable:
        raise  # that says nothing about the row
    except (ScorerFailed, JackfieldError) as exc:
        return Judged(RowScore(scorer.name, error=exc.message), Spent())
