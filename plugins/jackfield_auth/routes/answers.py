"""Answers, and what several routes ask of their caller."""

from __future__ import annotations

from pydantic import BaseModel
from quart import Response, request

from jackfield.api.auth import OWNER, Principal
from jackfield.api.errors import AccessDenied
from jackfield.api.http import clamp, json_response, principal
from jackfield_auth.routes.schemas import DEFAULT_LIMIT, MAX_LIMIT


def answer(view: BaseModel, status: int = 200) -> Response:
    """The view as JSON; what is None is left out."""
    return json_response(view.model_dump(mode="json", by_alias=True, exclude_none=True), status)


def done() -> Response:
    """204."""
    return Response(status=204)


def paging() -> tuple[int, int]:
    """Offset and limit of the query. Raises `InvalidInput`."""
    offset = clamp(request.args.get("offset"), 0, 0, 1 << 31)
    return offset, clamp(request.args.get("limit"), DEFAULT_LIMIT, 1, MAX_LIMIT)


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
