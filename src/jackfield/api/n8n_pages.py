"""The parts that the operations of n8n's public API share: pages with cursors, and projects that a request names."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from quart import request

from .errors import InvalidInput, NotFound
from .http import principal
from .jsontext import Json
from .paging import Clamped
from .projects import Placing, ProjectAccess
from .records import record
from .storage import SHARED, ResourceKind

if TYPE_CHECKING:
    from .context import PluginContext

MOST = 250
DEFAULT = 100
_LONGEST = 512
_LARGEST_TIME = 2**53
_LARGEST_OFFSET = 2**31 - 1


class N8nAnswer(BaseModel):
    """Base of answers and of queries, whose names are camelCase outside."""

    model_config = ConfigDict(extra="allow", defer_build=True, alias_generator=to_camel)


class CursorQuery(N8nAnswer):
    """A page: a `limit` out of range is clamped."""

    limit: Annotated[int, Clamped(1, MOST)] = DEFAULT
    cursor: str | None = Field(None, description="`nextCursor` of the page before.")


N8nOffset = Annotated[int, Clamped(0, _LARGEST_OFFSET)]


class CursorPage(N8nAnswer):
    """Base of lists."""

    next_cursor: str | None


class SharedShown(N8nAnswer):
    """In which project something is."""

    role: str
    project_id: str


class TransferBody(N8nAnswer):
    destination_project_id: str


@record
class Cursor:
    """A place in a list.

    `of`: the list's path. `until`: of a list that grows at its beginning, the time of the first page's first row.
    """

    offset: int
    limit: int
    of: str
    until: int | None = None

    def after(self, count: int, total: int, until: int | None = None) -> str | None:
        """The text for the page behind this one, which has that many rows; None behind the last."""
        if not count or self.offset + count >= total:
            return None
        place = {"limit": self.limit, "offset": self.offset + count, "of": self.of}
        more = {} if until is None else {"until": until}
        return base64.b64encode(orjson.dumps({**place, **more})).decode()


def asked_cursor(query: CursorQuery, offset: int = 0) -> Cursor:
    """The place that the current request's query names, else the beginning. Raises `InvalidInput` for what no page of
    the same list has given. offset: where it begins, which n8n takes for some lists."""
    limit, text = query.limit, query.cursor
    if not text:
        return Cursor(offset, limit, request.path)
    try:
        found = orjson.loads(base64.b64decode(text[:_LONGEST], validate=True))
    except (ValueError, binascii.Error):
        raise _no_cursor() from None
    if not isinstance(found, dict) or found.get("of") != request.path:
        raise _no_cursor()
    until = found.get("until")
    offset, own = _number(found.get("offset"), _LARGEST_OFFSET), _number(found.get("limit", limit), _LARGEST_OFFSET)
    return Cursor(
        offset, min(max(own, 1), MOST), request.path, None if until is None else _number(until, _LARGEST_TIME)
    )


def page(rows: Sequence[Json], cursor: str | None) -> dict[str, Json]:
    """The envelope of every list."""
    return {"data": list(rows), "nextCursor": cursor}


async def transfer(context: PluginContext, kind: ResourceKind, resource_id: str, project_id: str) -> None:
    """In the name of whoever asks. Raises `NotFound`, `AccessDenied`, `StoreUnavailable`."""
    placing = context.find_port(Placing)
    if placing is not None:
        await placing.move(kind, resource_id, project_id, principal())
    elif project_id != SHARED:
        raise NotFound("There is no such project.")


async def project_of(context: PluginContext, kind: ResourceKind, resource_id: str) -> str:
    """Where something belongs."""
    access = context.find_port(ProjectAccess)
    return SHARED if access is None else await access.project_of(kind, resource_id)


def shared(role: str, project_id: str = SHARED) -> dict[str, Json]:
    """How something stands in its project."""
    return {"role": role, "projectId": project_id}


def _number(value: object, largest: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest:
        return value
    raise _no_cursor()


def _no_cursor() -> InvalidInput:
    details = {"cursor": "give nextCursor of the same list's page before, as it is"}
    return InvalidInput("An invalid cursor was provided.", details=details)
