"""Dates in expressions are in Python what luxon makes of them in a worker, in many zones, where clocks change too."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "expressions"))

from date_grammar import DATA, MOMENTS, ZONES, dated
from scopes import FakeSurroundings, scope_of

from jackfield.api.javascript import NotExact
from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_expressions.parameters import compile_parameters
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

EXAMPLES = int(os.environ.get("JACKFIELD_TEST_DATES", "250"))
ELSEWHERE = object()


def generated(count: int) -> list[str]:
    """So many examples of the grammar, the same ones each time."""
    sources: dict[str, None] = {}

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(dated)
    def collect(source: str) -> None:
        sources[source] = None

    collect()
    return list(sources)


def in_python(template: str, zone: str, now: int) -> object:
    parameters = compile_parameters({"p": template})
    if parameters.sources:
        return ELSEWHERE
    try:
        found = parameters.get(scope_of(DATA, around=FakeSurroundings(timezone=zone, now=now)))
    except NotExact:
        return ELSEWHERE
    return found["p"]  # type: ignore[index]


async def in_luxon(engine: JavaScriptEngine, templates: list[str], zone: str, now: int) -> list[Any]:
    parameters = compile_parameters({f"p{place}": text for place, text in enumerate(templates)}).by_javascript()
    data = ScriptData(input=[{"json": DATA}], timezone=zone, now_ms=now)
    scope = scope_of(DATA)
    (scope.scripted,) = await engine.evaluate(parameters.sources, data, [0])
    found = parameters.get(scope)
    return [found[f"p{place}"] for place in range(len(templates))]  # type: ignore[index]


async def test_generated_dates_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    sources = generated(EXAMPLES)
    templates = [f"={{{{ {source} }}}}" for source in sources] + [f"=on {{{{ {source} }}}}" for source in sources]
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, expression_timeout=60), SharedWorkerPool())
    differences: list[tuple[str, str, int, object, object]] = []
    here = 0
    try:
        for place, zone in enumerate(ZONES):
            now = MOMENTS[place % len(MOMENTS)]
            for template, expected in zip(templates, await in_luxon(engine, templates, zone, now), strict=True):
                found = in_python(template, zone, now)
                if found is ELSEWHERE:
                    continue
                here += 1
                if isinstance(expected, ExpressionError) or found != expected or type(found) is not type(expected):
                    differences.append((template, zone, now, found, expected))
    finally:
        await engine.close()
    assert differences == []
    assert here > 0.5 * len(templates) * len(ZONES)
