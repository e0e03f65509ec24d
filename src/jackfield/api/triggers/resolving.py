"""Expressions in the parameters of triggers.

As in n8n, the daemon evaluates them when the workflow goes live and when the daemon starts. Nothing has run that they
could refer to, so that they see `$vars`, `$now`, `$workflow` and the like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from ..context import PluginContext
from ..engine import ExpressionPreview, PreviewRequest
from ..errors import JackfieldError
from ..jsontext import Json
from ..records import replace
from ..workflows import Node, Workflow

MOST = 1000
"""Expressions of one trigger."""
Failures: TypeAlias = "Mapping[str, str]"
"""Path of a parameter -> why its expression has no value."""


async def resolved(context: PluginContext, workflow: Workflow, node: Node) -> tuple[Node, Failures]:
    """The node with values in place of its expressions, and which of them failed, by the parameter's path. A value that
    is null or undefined leaves the parameter out."""
    templates = dict(_templates(dict(node.parameters), ""))
    if not templates:
        return node, {}
    if len(templates) > MOST:
        return node, {_first(templates): f"The trigger has more than {MOST} expressions; write some of the values."}
    engine = context.find_port(ExpressionPreview)
    if engine is None:
        return node, dict.fromkeys(templates, "No loaded plugin evaluates expressions of triggers; write the value.")
    unpinned = replace(workflow, pin_data={})
    try:
        shown = await engine.evaluate(PreviewRequest(unpinned, node.name, 0, templates))
    except JackfieldError as exc:
        return node, dict.fromkeys(templates, exc.message)
    values = shown["values"]
    found = (
        {path: value for path, value in values.items() if isinstance(value, dict)} if isinstance(values, dict) else {}
    )
    findings = {path: message for path in templates if (message := _failure(found.get(path, {})))}
    made = _with(dict(node.parameters), "", {path: value.get("value") for path, value in found.items()})
    return replace(node, parameters=made if isinstance(made, dict) else {}), findings


def _first(templates: Mapping[str, str]) -> str:
    return next(iter(templates))


def _failure(value: Mapping[str, Json]) -> str:
    if value.get("truncated") is True:
        return "The expression gives too long a value."
    error = value.get("error")
    return error if isinstance(error, str) else ""


def _templates(value: Json, place: str) -> Iterator[tuple[str, str]]:
    """Path -> expression, as `Problem`s write paths."""
    if isinstance(value, str) and value.startswith("="):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _templates(inner, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _templates(inner, f"{place}[{index}]")


def _with(value: Json, place: str, values: Mapping[str, Json]) -> Json:
    if place in values:
        return values[place]
    if isinstance(value, dict):
        made = {name: _with(inner, f"{place}.{name}" if place else name, values) for name, inner in value.items()}
        return {name: inner for name, inner in made.items() if inner is not None}
    if isinstance(value, list):
        return [_with(inner, f"{place}[{index}]", values) for index, inner in enumerate(value)]
    return value
