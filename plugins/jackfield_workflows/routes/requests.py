"""What the routes read of a request beside a JSON body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from quart import request

from jackfield.api.clock import from_iso
from jackfield.api.errors import InvalidInput
from jackfield.api.http import clamp, principal, read_json
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_workflows.saved.changes import Author

ChoiceT = TypeVar("ChoiceT", bound=str)
MAX_OFFSET = 2**31 - 1
MOST_NAMES = 20
_IF_MATCH = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')


@record
class Paging:
    offset: int
    limit: int


def paging(default: int = 20, highest: int = 100) -> Paging:
    """`offset` and `limit`, each clamped to its range. Raises `InvalidInput` for what is no number."""
    offset = clamp(request.args.get("offset"), 0, 0, MAX_OFFSET)
    return Paging(offset, clamp(request.args.get("limit"), default, 1, highest))


def page_view(rows: Sequence[Json], total: int, page: Paging) -> dict[str, Json]:
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


def choice(name: str, allowed: Sequence[ChoiceT]) -> ChoiceT | None:
    """A query parameter with one of these values; None when absent. Raises `InvalidInput`."""
    given = request.args.get(name)
    if not given:
        return None
    for one in allowed:
        if one == given:
            return one
    raise InvalidInput(f"The parameter {name} has a value that it cannot have.", details={name: _one_of(allowed)})


def flag(name: str) -> bool | None:
    """`true` or `false` of the query; None when absent. Raises `InvalidInput`."""
    found = choice(name, ("true", "false", "1", "0"))
    return None if found is None else found in ("true", "1")


def names(name: str) -> list[str]:
    """Names of the query, separated by commas. Raises `InvalidInput` for more than `MOST_NAMES`."""
    found = [part for each in (request.args.get(name) or "").split(",") if (part := each.strip())]
    if len(found) > MOST_NAMES:
        raise InvalidInput(f"The parameter {name} has too many names.", details={name: f"give at most {MOST_NAMES}"})
    return found


def moment(name: str) -> int | None:
    """An ISO 8601 time of the query as Unix ms; None when absent. Raises `InvalidInput`."""
    given = request.args.get(name)
    if not given:
        return None
    try:
        # A + that was not percent-encoded arrives as a space.
        return from_iso(given.replace(" ", "+") if "T" in given else given)
    except (ValueError, OverflowError):
        details = {name: "give an ISO 8601 time such as 2026-01-31T12:00:00Z"}
        raise InvalidInput(f"The parameter {name} is not a time.", details=details) from None


async def read_optional_json() -> Json:
    """The JSON body; an empty object when there is none, whatever its type: generated clients name one all the same."""
    if not request.content_length and not await request.get_data(cache=True):
        return {}
    return await read_json()


def _one_of(allowed: Sequence[str]) -> str:
    return f"give one of: {', '.join(allowed)}"
