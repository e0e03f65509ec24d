"""Answers, and what several routes ask of their caller."""

from __future__ import annotations

from pydantic import BaseModel
from quart import Response

from jackfield.api.auth import OWNER, Principal
from jackfield.api.errors import AccessDenied
from jackfield.api.http import json_response, principal


def answer(view: BaseModel, status: int = 200) -> Response:
    """The view as JSON; what is None is left out."""
    return json_response(view.model_dump(mode="json", by_alias=True, exclude_none=True), status)


def done() -> Response:
    """204."""
    return Response(status=204)


def caller_by(*methods: str) -> Principal:
    """The caller, authenticated by one of these methods. Raises `AccessDenied` that names them."""
    caller = principal()
    if caller.method not in methods:
        names = {"jwt": "a Bearer token from a login", "basic": "Basic", "session": "a browser's session"}
        raise AccessDenied(
            f"This needs {' or '.join(names[method] for method in methods)}; another credential does not do.",
            details={"method": ", ".join(methods)},
        )
    if caller.user_id == OWNER.user_id:
        raise AccessDenied("The daemon's own user is none of the users; `jackfield user add` makes one to log in with.")
    return caller
