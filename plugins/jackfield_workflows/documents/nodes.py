"""One node of a document."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Node, OnError, local_type
from jackfield_workflows.documents.mistakes import Mistakes
from jackfield_workflows.documents.values import clamped, identifier, number, text

_ON_ERROR: Mapping[str, OnError] = {
    "stopWorkflow": "stopWorkflow",
    "continueRegularOutput": "continueRegularOutput",
    "continueErrorOutput": "continueErrorOutput",
}


def parse_node(raw: Json, path: str, mistakes: Mistakes) -> Node | None:
    """The node; None when its form is wrong, which is then among the mistakes."""
    if not isinstance(raw, dict):
        mistakes.add(path, "A node must be an object.")
        return None
    name, node_type = _required(raw, "name", path, mistakes), _required(raw, "type", path, mistakes)
    parameters = _object(raw, "parameters", path, mistakes)
    version = _version(raw, path, mistakes)
    if name is None or node_type is None or parameters is None:
        return None
    return Node(
        id=identifier(raw.get("id")) or name,
        name=name,
        type=node_type,
        kind=local_type(node_type),
        version=version,
        parameters=parameters,
        position=_position(raw.get("position")),
        disabled=raw.get("disabled") is True,
        credentials=_credentials(raw.get("credentials")),
        on_error=_on_error(raw),
        tries=clamped(raw.get("maxTries"), 3, 2, 5) if raw.get("retryOnFail") is True else 1,
        wait_between_tries_ms=clamped(raw.get("waitBetweenTries"), 1000, 0, 5000),
        execute_once=raw.get("executeOnce") is True,
        always_output_data=raw.get("alwaysOutputData") is True,
        webhook_id=text(raw.get("webhookId")),
        raw=raw,
    )


def _required(raw: dict[str, Json], key: str, path: str, mistakes: Mistakes) -> str | None:
    found = text(raw.get(key))
    if found is None:
        mistakes.add(f"{path}.{key}", f"A node needs a {key}, a text that is not empty.")
    return found


def _object(raw: dict[str, Json], key: str, path: str, mistakes: Mistakes) -> dict[str, Json] | None:
    value = raw.get(key)
    if isinstance(value, dict):
        return value
    if value is None or value == []:
        return {}
    mistakes.add(f"{path}.{key}", f"The {key} of a node must be an object.")
    return None


def _version(raw: dict[str, Json], path: str, mistakes: Mistakes) -> float | None:
    given = raw.get("typeVersion")
    found = number(given)
    if found is None and given is not None:
        mistakes.add(f"{path}.typeVersion", "The typeVersion of a node must be a number, such as 2 or 3.4.")
    return found


def _position(value: Json) -> tuple[float, float]:
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    if not isinstance(value, list) or len(value) < 2:
        return (0.0, 0.0)
    return (number(value[0]) or 0.0, number(value[1]) or 0.0)


def _credentials(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _on_error(raw: dict[str, Json]) -> OnError:
    given = raw.get("onError")
    if isinstance(given, str) and given in _ON_ERROR:
        return _ON_ERROR[given]
    return "continueRegularOutput" if raw.get("continueOnFail") is True else "stopWorkflow"
