"""The metrics that the node Evaluation sets: name -> number, for one item."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield_evaluations.nodes import judges
from jackfield_evaluations.nodes.distance import similarity
from jackfield_evaluations.nodes.parameters import EvaluationParameters

_NO_TOOL = re.compile(r"[^a-zA-Z0-9_-]+")
_LONGEST_TOOL = 64
MOST_COMPARED = 50_000
"""Characters of each of two texts whose distance is measured."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


async def metrics_of_item(run: NodeRun, given: EvaluationParameters, metric: str, index: int) -> dict[str, Json]:
    """Raises `NodeError`."""
    if metric == "customMetrics":
        return _custom(given, index)
    if metric == "toolsUsed":
        return {given.options.metric_name or "Tools Used": _tools_used(given, index)}
    if metric == "helpfulness":
        return {given.options.metric_name or "Helpfulness": await _helpfulness(run, given, index)}
    expected = _needed(given.expected_answer, "Expected answer is missing", index)
    actual = _needed(given.actual_answer, "Actual answer is missing", index)
    if metric == "categorization":
        return {given.options.metric_name or "Categorization": int(expected == actual)}
    if metric == "stringSimilarity":
        if max(len(expected), len(actual)) > MOST_COMPARED:
            raise NodeError(f"Texts of more than {MOST_COMPARED} characters are not compared.", item=index)
        value = await asyncio.to_thread(similarity, expected, actual)
        return {given.options.metric_name or "String similarity": value}
    if metric == "correctness":
        question = judges.filled(
            given.options.input_prompt or judges.CORRECTNESS_INPUT,
            {"actual_answer": actual, "expected_answer": expected},
        )
        score = await judges.asked_score(run, index, given.prompt or judges.CORRECTNESS, question)
        return {given.options.metric_name or "Correctness": score}
    raise NodeError("Unknown metric", item=index)


async def _helpfulness(run: NodeRun, given: EvaluationParameters, index: int) -> int:
    query = _needed(given.user_query, "User query is missing", index)
    actual = _needed(given.actual_answer, "Response is missing", index)
    template = given.options.input_prompt or judges.HELPFULNESS_INPUT
    question = judges.filled(template, {"user_query": query, "actual_answer": actual})
    return await judges.asked_score(run, index, given.prompt or judges.HELPFULNESS, question)


def _custom(given: EvaluationParameters, index: int) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for each in given.metrics.assignments:
        number = _as_number(each.value)
        if number is None:
            raise NodeError(
                f"Value for '{each.name}' isn't a number",
                item=index,
                description=f"It's currently '{_text(each.value)}'. Metrics must be numeric.",
            )
        if not each.name:
            raise NodeError("Metric name missing", item=index)
        made[each.name] = number
    return made


def _as_number(value: object) -> int | float | None:
    """As JavaScript's `Number` reads it; None: it is none."""
    if value is None or value == "":
        return 0
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    text = value.strip() if isinstance(value, str) else "no"
    if not text:
        return 0
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _tools_used(given: EvaluationParameters, index: int) -> float:
    expected = [tool.strip() for tool in given.expected_tools.strip().split(",") if tool.strip()]
    if not expected:
        raise NodeError("Expected tool name missing", item=index)
    if not isinstance(given.intermediate_steps, list):
        raise NodeError("Intermediate steps missing", item=index)
    called = {_called(step) for step in given.intermediate_steps}
    return sum(_tool_name(tool).lower() in called for tool in expected) / len(expected)


def _called(step: object) -> str:
    action = step.get("action") if isinstance(step, Mapping) else None
    tool = action.get("tool") if isinstance(action, Mapping) else None
    return tool.lower() if isinstance(tool, str) else ""


def _tool_name(text: str) -> str:
    name = _NO_TOOL.sub("_", text)
    return name if len(name) <= _LONGEST_TOOL else name[:_LONGEST_TOOL].rstrip("_-")


def _needed(value: object, missing: str, index: int) -> str:
    text = _text(value).strip()
    if not text:
        raise NodeError(missing, item=index)
    return text


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else dumps(value).decode()
