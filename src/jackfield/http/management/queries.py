"""Query parameters: an operation of the workflow service takes those of its query model and no others."""

from __future__ import annotations

import difflib
from functools import lru_cache

from pydantic import BaseModel
from quart.wrappers import Request, Websocket

from jackfield.api.errors import InvalidInput
from jackfield.api.http import AnyQuery, Operation

from ..errors import is_service

_SHOWN = 100
_MOST = 20


def check_query(described: Operation, asked: Request | Websocket) -> None:
    """Raises `InvalidInput` that names every parameter which the operation's model does not have."""
    if not asked.query_string or not is_service(asked.path):
        return
    model = described.query
    if model is not None and issubclass(model, AnyQuery):
        return
    known = () if model is None else _parameters(model)
    unknown = [name for name in asked.args if name not in known]
    if unknown:
        details = {name[:_SHOWN]: _hint(name, known) for name in unknown[:_MOST]}
        raise InvalidInput(f"The query has an unknown parameter: {', '.join(details)}.", details=details)


@lru_cache(maxsize=512)
def _parameters(model: type[BaseModel]) -> tuple[str, ...]:
    """As OpenAPI names them."""
    return tuple(model.model_json_schema().get("properties", ()))


def _hint(name: str, known: tuple[str, ...]) -> str:
    if near := difflib.get_close_matches(name[:_SHOWN], known, n=1):
        return f"did you mean {near[0]}?"
    return f"give some of: {', '.join(known)}" if known else "this operation takes no parameters"
