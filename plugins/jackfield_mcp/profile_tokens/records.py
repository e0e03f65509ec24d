"""Tokens as the store keeps them: as digests."""

from __future__ import annotations

from typing import cast, get_args

from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import ToolScope, ToolToken
from jackfield.api.profiles import RunKind
from jackfield.api.records import record
from jackfield_mcp.stored_records import Records


@record
class KeptToken:
    """digest: of the token's text."""

    digest: str
    token: ToolToken


def token_records(context: PluginContext) -> Records[KeptToken]:
    return Records(context, "mcp-profile-tokens", _row, _kept)


def _row(kept: KeptToken) -> list[Json]:
    one, scope = kept.token, kept.token.scope
    return [
        kept.digest, one.id, one.run, one.alias, one.kind, one.host, one.created_at, one.until, list[Json](scope.tools),
        scope.offered, list[Json](scope.without), list[Json](scope.scopes), dict[str, Json](scope.bound),
        list[Json](one.scopes),
    ]  # fmt: skip


def _kept(row: list[Json]) -> KeptToken:
    digest, ident, run, alias, kind, host, created, until, tools, offered, without, more, bound, scopes = row
    if kind not in get_args(RunKind) or not isinstance(bound, dict):
        raise ValueError("This is no token.")
    reach = ToolScope(
        _texts(tools), offered is True, _texts(without), _texts(more), {name: str(bound[name]) for name in bound}
    )
    return KeptToken(
        str(digest),
        ToolToken(
            str(ident), str(run), str(alias), cast("RunKind", kind), str(host), reach, _texts(scopes),
            int(str(created)), int(str(until)),
        ),
    )  # fmt: skip


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(text) for text in cast("list[Json]", value))
