"""A failure explained: the node, its input, its parameters with their expressions evaluated, the error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from .errors import JackfieldError
from .json_values import Json

_MOST_EXPRESSIONS = 100
_DEEPEST = 20


class Ask(Protocol):
    """An operation of the management API whose answer is an object."""

    async def __call__(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Json = None
    ) -> dict[str, Json]: ...


async def explained(ask: Ask, path: str, items: int) -> Json:
    """The explanation.

    `ask`: the management API, in the name of whoever wants to know. `path`: of the execution, below `/api/v1`. `items`:
    of each input at most. Raises what asking raises.
    """
    execution = await ask("GET", path, query={"items": str(max(items, 1))})
    error = execution.get("error")
    told: dict[str, Json] = {name: execution.get(name) for name in ("id", "workflowId", "workflowVersion", "status")}
    if not isinstance(error, dict):
        return {**told, "explanation": "This execution has not failed."}
    name = error.get("node")
    found: dict[str, Json] = {**told, "error": error, "node": None}
    if not isinstance(name, str):
        return found
    document = await ask("GET", path + "/workflow")
    node = next((one for one in _nodes(document) if one.get("name") == name), None)
    found["node"] = None if node is None else {key: node.get(key) for key in _KEPT if key in node}
    found["input"] = _inputs(document, execution, name, items)
    found["itemIndex"] = error.get("itemIndex")
    if node is not None:
        found["expressions"] = await _evaluated(ask, str(execution.get("id")), document, node, error.get("itemIndex"))
    return found


_KEPT = ("name", "type", "typeVersion", "parameters", "credentials", "onError", "retryOnFail", "disabled")


def _nodes(document: dict[str, Json]) -> list[dict[str, Json]]:
    found = document.get("nodes")
    return [node for node in found if isinstance(node, dict)] if isinstance(found, list) else []


def _inputs(document: dict[str, Json], execution: dict[str, Json], name: str, most: int) -> Json:
    """Per wire that leads to the node: the output behind it, how many items that gave last, and the first of them."""
    runs = execution.get("nodes")
    found: list[Json] = []
    for source, output, index in _wires(document, name):
        of_source = runs.get(source) if isinstance(runs, dict) else None
        last = of_source[-1] if isinstance(of_source, list) and of_source else None
        outputs = last.get("outputs") if isinstance(last, dict) else None
        counts = last.get("counts") if isinstance(last, dict) else None
        items = outputs[output] if isinstance(outputs, list) and output < len(outputs) else None
        found.append(
            {
                "from": source,
                "output": output,
                "input": index,
                "count": counts[output] if isinstance(counts, list) and output < len(counts) else None,
                "items": items[:most] if isinstance(items, list) else None,
            }
        )
    return found


def _wires(document: dict[str, Json], name: str) -> Iterator[tuple[str, int, Json]]:
    sources = document.get("connections")
    for source, kinds in sources.items() if isinstance(sources, dict) else ():
        outputs = kinds.get("main") if isinstance(kinds, dict) else None
        for output, targets in enumerate(outputs if isinstance(outputs, list) else ()):
            for target in targets if isinstance(targets, list) else ():
                if isinstance(target, dict) and target.get("node") == name:
                    yield source, output, target.get("index", 0)


async def _evaluated(ask: Ask, execution_id: str, document: dict[str, Json], node: dict[str, Json], item: Json) -> Json:
    """Path in the parameters -> expression, and its value on the data of that execution; or why there is none."""
    expressions = dict(list(_expressions("parameters", node.get("parameters"), 0))[:_MOST_EXPRESSIONS])
    if not expressions:
        return {}
    body: dict[str, Json] = {
        "workflow": document,
        "executionId": execution_id,
        "node": node["name"],
        "item": item if isinstance(item, int) else 0,
        "templates": dict(expressions),
    }
    try:
        answer = await ask("POST", "/expressions/preview", body=body)
    except JackfieldError as exc:
        return {"unknown": exc.message}
    values = answer.get("values")
    told = values if isinstance(values, dict) else {}
    return {path: {"expression": text, "gives": told.get(path)} for path, text in expressions.items()}


def _expressions(path: str, value: Json, level: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if value.startswith("="):
            yield path, value
        return
    if level >= _DEEPEST:
        return
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _expressions(f"{path}.{key}" if isinstance(key, str) else f"{path}[{key}]", inner, level + 1)
