"""How a group of views becomes a blueprint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeAlias

from quart import Blueprint, Response

from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.object_references import load

View: TypeAlias = Callable[..., Awaitable[Response]]
Route: TypeAlias = "tuple[str, str, View]"
"""Method, path below the prefix, view."""


class RouteGroup(Protocol):
    """Views that share what they work on."""

    name: str

    def routes(self) -> Sequence[Route]: ...


def blueprint(group: RouteGroup, prefix: str = SERVICE_PREFIX) -> Blueprint:
    """A blueprint with the group's routes under a prefix."""
    made = Blueprint(group.name, __name__, url_prefix=prefix)
    for method, path, view in group.routes():
        made.add_url_rule(path, view_func=view, methods=[method])
    return made


def payload(name: str, module: str = "schemas") -> Any:  # of a request: the view says which model it is
    """The model of this name, which is loaded with the first request that needs it."""
    return load(schema(name, module))


def schema(name: str, module: str = "schemas") -> str:
    """Where the payload of this name is; `jackfield.api.http.operation` takes that, so that a start builds none."""
    return f"jackfield_workflows.routes.{module}:{name}"
