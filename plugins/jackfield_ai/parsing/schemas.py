"""JSON and JSON Schemas that stand in parameters."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError


def read_schema(text: object, name: str) -> dict[str, Json]:
    """A schema that stands in a parameter, as text or as an object. Raises `NodeError`."""
    found = read_json(text, name)
    if not isinstance(found, dict):
        raise NodeError(f"The parameter {name} must be a JSON Schema, that is an object.")
    return found


def read_json(text: object, name: str) -> Json:
    """Raises `NodeError`."""
    if not isinstance(text, str):
        return text  # type: ignore[return-value]  # a resolved parameter is JSON
    try:
        return loads(text)
    except InvalidInput as exc:
        raise NodeError(f"The parameter {name} is not JSON: {(exc.details or {}).get('body', exc.message)}.") from None
