"""Scores by a program, in the worker processes of Code nodes."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.scripts import SCRIPT_ENGINES, ScriptData, ScriptError
from jackfield_evaluations.definition import CodeScorer
from jackfield_evaluations.scoring.subject import ScoredSubject
from jackfield_evaluations.scoring.verdicts import ScorerFailed


async def program_value(context: PluginContext, scorer: CodeScorer, subject: ScoredSubject, seconds: float) -> Json:
    """The program's result. The program sees the subject as its only item. Raises `ScorerFailed`."""
    engine = context.extensions(SCRIPT_ENGINES).get(scorer.language)
    if engine is None:
        raise ScorerFailed(f"The language {scorer.language} is not available; no plugin provides it.")
    data = ScriptData([{"json": subject.as_json()}], now_ms=context.clock.now_ms())
    try:
        result = await engine.run(scorer.code, data, each=False, timeout=seconds)
    except ScriptError as exc:
        where = f" [line {exc.line}]" if exc.line is not None else ""
        raise ScorerFailed(f"The program fails: {exc.message}{where}") from None
    return _unwrapped(result.value)


def _unwrapped(value: Json) -> Json:
    """A program may return an item, or a list of one, as Code nodes do."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and isinstance(value.get("json"), dict):
        return value["json"]
    return value
