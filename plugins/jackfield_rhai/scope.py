"""The variables of a Code node's script, or of an expression, in Rhai."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ScriptData


def common(data: ScriptData) -> dict[str, object]:
    """`items`, `nodes` (name -> items of its last run), `workflow`, `execution`, `node`, `vars`, `env`, `now` (Unix
    ms), `timezone`."""
    return {
        "items": list(data.input),
        "nodes": {name: _last_items(found) for name, found in data.nodes.items()},
        "workflow": dict(data.workflow),
        "execution": dict(data.execution),
        "node": dict(data.node),
        "vars": dict(data.variables),
        "env": dict(data.environment),
        "now": data.now_ms,
        "timezone": data.timezone,
    }


def at_item(shared: Mapping[str, object], data: ScriptData, index: int) -> dict[str, object]:
    """The same with `item`, `json` (its fields) and `index`."""
    item = data.input[index] if index < len(data.input) else {"json": {}}
    return {**shared, "item": item, "json": item["json"], "index": index}


def words(source: str) -> frozenset[str]:
    """The words that may be names in a script."""
    return frozenset(re.findall(r"\w+", source))


def only(scope: dict[str, object], names: frozenset[str]) -> dict[str, object]:
    """The variables that a script with these words can see: each is copied for each evaluation, whatever its size."""
    return scope if "eval" in names else {name: value for name, value in scope.items() if name in names}


def _last_items(found: Json) -> Json:
    """The items of the node's last run at the output that leads here."""
    if not isinstance(found, dict):
        return []
    runs, output = found.get("runs"), found.get("output")
    if not isinstance(runs, list) or not runs or not isinstance(last := runs[-1], dict):
        return []
    outputs = last.get("outputs")
    number = output if isinstance(output, int) else 0
    return outputs[number] if isinstance(outputs, list) and number < len(outputs) else []
