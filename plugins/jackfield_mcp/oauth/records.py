"""Clients and grants, as the store keeps them: each kind in one fact, so that every daemon of the store has the same. A
text that admits somebody is there as a digest alone."""

from __future__ import annotations

from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.records import record
from jackfield_mcp.stored_records import StoredRecords


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
    """The grant of a user to a client. `access`, `refresh`: digests of its current tokens. `family`: of the part that
    all of its refresh tokens share, by which an earlier one is known. Its use tells that one of them was stolen.
    `version`: of the user, with another one of which it ends."""

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


def client_records(context: PluginContext) -> StoredRecords[OAuthClient]:
    return StoredRecords(context, "mcp-oauth-clients", _client_row, _client)


def _client_row(one: OAuthClient) -> list[Json]:
    return [one.id, one.name, list[Json](one.redirect_uris), one.scope, one.created_at, one.granted]


def _client(row: list[Json]) -> OAuthClient:
    ident, name, uris, scope, created_at, granted = row
    known = tuple(str(uri) for uri in cast("list[Json]", uris))
    return OAuthClient(str(ident), str(name), known, str(scope), int(str(created_at)), granted is True)


def grant_records(context: PluginContext) -> StoredRecords[OAuthGrant]:
    return StoredRecords(context, "mcp-oauth-grants", _grant_row, _grant)


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
