"""Templates of a definition, evaluated on one item's JSON; nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import ExpressionPreview, PreviewRequest
from jackfield.api.jsontext import Json
from jackfield_evaluations.executing.documents import pinned
from jackfield_evaluations.scoring.verdicts import ScorerFailed


async def evaluated(context: PluginContext, template: str, json: Mapping[str, Json]) -> Json:
    """The value of a parameter with this text whose node gets this item; a text without a leading `=` is itself.
    Raises `ScorerFailed`, `JackfieldError`."""
    if not template.startswith("="):
        return template
    workflow = context.port(WorkflowReader).parse(pinned([{"json": dict(json)}]))
    request = PreviewRequest(workflow, "Score", 0, {"it": template})
    found = (await context.port(ExpressionPreview).evaluate(request))["values"]
    one = found.get("it") if isinstance(found, dict) else None
    value = one if isinstance(one, dict) else {}
    if "error" in value:
        raise ScorerFailed(f"The expression fails: {value['error']}")
    return value.get("value")
