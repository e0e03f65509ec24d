"""`/api/v1/mcp/profile-tokens`: which runs of profiles' agents have a token, and its end."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.http import json_response, operation, principal
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import ToolToken
from jackfield_mcp.profile_tokens.book import ProfileTokens

_SCHEMAS = "jackfield_mcp.profile_tokens.schemas"
TAGS = ("mcp",)


class ProfileTokenRoutes:
    """For administrators: profiles belong to the daemon's user."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation(
        "List the tokens of runs of profiles' agents, the oldest first",
        operation_id="listMcpProfileTokens",
        scope=None,
        response=f"{_SCHEMAS}:ToolTokenList",
        tags=TAGS,
    )
    async def list_tokens(self) -> Response:
        principal().require_admin()
        found = await self._context.port(ProfileTokens).tokens()
        return json_response({"data": [_view(one) for one in found], "total": len(found)})

    @operation(
        "Revoke the token of a run: its agent reaches no tools any more",
        operation_id="revokeMcpProfileToken",
        scope=None,
        status=204,
        tags=TAGS,
        errors=(NotFound,),
    )
    async def revoke_token(self, token_id: str) -> Response:
        principal().require_admin()
        if not await self._context.port(ProfileTokens).revoke(token_id):
            raise NotFound("There is no such token.")
        return Response(status=204)


def token_rules(made: Blueprint, context: PluginContext) -> None:
    views = ProfileTokenRoutes(context)
    made.add_url_rule("/profile-tokens", view_func=views.list_tokens, methods=["GET"])
    made.add_url_rule("/profile-tokens/<token_id>", view_func=views.revoke_token, methods=["DELETE"])


def _view(one: ToolToken) -> Json:
    scope = one.scope
    return {
        "id": one.id,
        "profile": one.alias,
        "run": one.run,
        "kind": one.kind,
        "host": one.host,
        "tools": list[Json](scope.tools),
        "offered": scope.offered,
        "without": list[Json](scope.without),
        "scopes": list[Json](one.scopes),
        "bound": dict[str, Json](scope.bound),
        "createdAt": iso(one.created_at),
        "expiresAt": iso(one.until),
    }
