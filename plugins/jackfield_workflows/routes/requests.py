"""The parts of a request that the routes read beside a JSON body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import request

from jackfield.api.errors import InvalidInput
from jackfield.api.http import principal, read_json
from jackfield.api.jsontext import Json
from jackfield_workflows.saved.changes import Author

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import PageQuery

_IF_MATCH = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')


def page_view(rows: Sequence[Json], total: int, page: PageQuery) -> dict[str, Json]:
    """The envelope of every list."""
    return {"data": list(rows), "total": total, "offset": page.offset, "limit": page.limit}


def author() -> Author:
    """The caller, and the version that `If-Match` names: 3, "3" or *. Raises `InvalidInput` for anything else."""
    given = request.headers.get("If-Match", "*").strip()
    if given == "*":
        return Author(principal())
    found = _IF_MATCH.fullmatch(given)
    if found is None:
        details = {"If-Match": "give the version's number, such as 3, or *"}
        raise InvalidInput("The header If-Match does not name a version.", details=details)
    return Author(principal(), int(found[1]))


async def read_optional_json() -> Json:
    """The JSON body; an empty object when there is none, whatever its type: generated clients name one even then."""
    if not request.content_length and not await request.get_data(cache=True):
        return {}
    return await read_json()
