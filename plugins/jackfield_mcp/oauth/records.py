"""Clients and grants, as the store keeps them: each kind in one fact, so that every daemon of the store has the same.
What admits somebody is there as a digest alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, StoreUnavailable
from jackfield.api.json_values import Json
from jackfield.api.records import record

_LARGEST = 90_000
"""Characters of a fact's text, of the 100,000 that it may have."""
_TRIES = 20
RowT = TypeVar("RowT")
ResultT = TypeVar("ResultT")


@record
class OAuthClient:
    """One that has registered itself. Times: Unix ms. granted: whether somebody has ever let it in."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    scope: str
    created_at: int
    granted: bool = False


@record
class OAuthGrant:
    """What a user has let a client do. access, refresh: digests of its present tokens; family: of the part that all of
    its refresh tokens share, by which an earlier one is known, whose use tells that one of them was stolen; version: of
    the user, with another one of which it ends."""

    id: str
    client_id: str
    client_name: str
    user_id: str
    version: int
    scopes: tuple[str, ...]
    access: str
    access_until: int
    refresh: str
    family: str
    created_at: int
    used_at: int
    until: int


class Records(Generic[RowT]):
    """Rows of one kind."""

    def __init__(
        self, context: PluginContext, fact: str, dump: Callable[[RowT], list[Json]], read: Callable[[list[Json]], RowT]
    ) -> None:
        self._context = context
        self._fact = fact
        self._dump = dump
        self._read = read
        self._kept: tuple[str | None, tuple[RowT, ...]] = (None, ())
        self._changing = asyncio.Lock()

    async def all(self) -> tuple[RowT, ...]:
        """As they were committed last, by whichever daemon. Raises `StoreUnavailable`."""
        return self._parsed(await self._context.store.fact(self._fact))

    def _parsed(self, text: str | None) -> tuple[RowT, ...]:
        if text == self._kept[0]:
            return self._kept[1]
        try:
            given = jsontext.loads((text or "[]").encode())
            rows = tuple(self._read(row) for row in given if isinstance(row, list)) if isinstance(given, list) else ()
        except (InvalidInput, TypeError, ValueError):
            self._context.log.error(
                "The fact %s of the store is damaged; everybody has to be let in again.", self._fact
            )
            rows = ()
        self._kept = (text, rows)
        return rows

    def fits(self, rows: tuple[RowT, ...]) -> bool:
        """Whether the store has room for so many."""
        return len(self._text(rows)) <= _LARGEST

    def _text(self, rows: tuple[RowT, ...]) -> str:
        return jsontext.dumps([self._dump(row) for row in rows]).decode()

    async def change(self, work: Callable[[tuple[RowT, ...]], tuple[tuple[RowT, ...], ResultT]]) -> ResultT:
        """Replace the rows by what `work` makes of them; it may be asked again when another daemon was quicker. Returns
        its second part once it is durable. Raises `StoreUnavailable`, `TooMany`, and what `work` raises."""
        async with self._changing:
            for _ in range(_TRIES):
                before = await self._context.store.fact(self._fact)
                rows, result = work(self._parsed(before))
                text = self._text(rows)
                if len(text) > _LARGEST:
                    raise TooMany
                if text == before or await self._context.store.change_fact(self._fact, before, text):
                    return result
        raise StoreUnavailable("Many clients come at once; try again in a moment.")


class TooMany(Exception):
    """There is no room for one more."""


def client_records(context: PluginContext) -> Records[OAuthClient]:
    return Records(context, "mcp-oauth-clients", _client_row, _client)


def _client_row(one: OAuthClient) -> list[Json]:
    return [one.id, one.name, list[Json](one.redirect_uris), one.scope, one.created_at, one.granted]


def _client(row: list[Json]) -> OAuthClient:
    ident, name, uris, scope, created_at, granted = row
    known = tuple(str(uri) for uri in cast("list[Json]", uris))
    return OAuthClient(str(ident), str(name), known, str(scope), int(str(created_at)), granted is True)


def grant_records(context: PluginContext) -> Records[OAuthGrant]:
    return Records(context, "mcp-oauth-grants", _grant_row, _grant)


def _grant_row(one: OAuthGrant) -> list[Json]:
    return [
        one.id, one.client_id, one.client_name, one.user_id, one.version, list[Json](one.scopes), one.access,
        one.access_until, one.refresh, one.family, one.created_at, one.used_at, one.until,
    ]  # fmt: skip


def _grant(row: list[Json]) -> OAuthGrant:
    ident, client, name, user, version, scopes, access, access_until, refresh, family, created, used, until = row
    return OAuthGrant(
        str(ident), str(client), str(name), str(user), int(str(version)),
        tuple(str(scope) for scope in cast("list[Json]", scopes)), str(access), int(str(access_until)), str(refresh),
        str(family), int(str(created)), int(str(used)), int(str(until)),
    )  # fmt: skip
