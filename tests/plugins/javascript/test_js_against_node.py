"""Generated expressions give in Jackfield what they give in Node.js: the same JSON, or undefined in both.

Everything is as it runs in workflows: plain and simple expressions in Python, the others in a worker.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "expressions"))

from expression_grammar import DATA, anything
from node_js import MISSING, NODE, judged
from scopes import scope_of

from jackfield.api.expressions import projected_item
from jackfield.api.javascript import NotExact
from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_expressions.parameters import ExpressionParameters, compile_parameters
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

EXAMPLES = int(os.environ.get("JACKFIELD_TEST_EXPRESSIONS", "500"))
"""How many expressions are generated; 2,800 make some 2,000 different ones."""
LONGEST = 300
OPTIONAL_CALL = "?.("
"""Beside one of n8n's own methods `a?.b?.()` calls b on nothing, as in n8n and unlike Node.js."""

pytestmark = pytest.mark.skipif(NODE is None, reason=MISSING)


async def parameter(parameters: ExpressionParameters, engine: JavaScriptEngine) -> Any:
    scope = scope_of(DATA)
    if parameters.sources:
        items = [projected_item({"json": DATA}, parameters.reads.item)]
        given = ScriptData(input=[{"json": DATA}] if parameters.reads.whole_items else items)
        (scope.scripted,) = await engine.evaluate(parameters.sources, given, [0])
    return parameters.get(scope)["p"]  # type: ignore[index]


async def ours(source: str, engine: JavaScriptEngine) -> Any:
    parameters = compile_parameters({"p": f"={{{{{source}}}}}"})
    try:
        return await parameter(parameters, engine)
    except NotExact:
        return await parameter(parameters.by_javascript(), engine)


def same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or math.isclose(left, right, rel_tol=1e-15)  # the last digit of powers and printed floats
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def agrees(found: Any, judgement: dict[str, Any]) -> bool:
    if "syntax" in judgement:
        return isinstance(found, ExpressionError)
    if judgement["value"] == "function":
        return isinstance(found, ExpressionError)
    return same(found, judgement["value"])


async def differences(sources: Sequence[str]) -> list[tuple[str, Any, Any]]:
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, expression_timeout=30), SharedWorkerPool())
    try:
        found = [await ours(source, engine) for source in sources]
    finally:
        await engine.close()
    judgements = judged(sources, DATA)
    rows = zip(sources, found, judgements, strict=True)
    return [(source, value, judgement) for source, value, judgement in rows if not agrees(value, judgement)]


def generated(count: int) -> list[str]:
    """So many examples of the grammar, the same ones each time; some come twice, or are longer than real ones."""
    sources: dict[str, None] = {}
    unhurried = list(HealthCheck)

    @settings(
        max_examples=count, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=unhurried
    )
    @given(anything)
    def collect(source: str) -> None:
        if len(source) < LONGEST and OPTIONAL_CALL not in source:
            sources[source] = None

    collect()
    return list(sources)


async def test_generated_expressions_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    sources = generated(EXAMPLES)
    assert len(sources) > EXAMPLES / 2
    assert await differences(sources) == []
