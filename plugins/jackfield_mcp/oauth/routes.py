"""`/api/v1/mcp`: what a user decides of a client that asks to be let in, and whom they have let in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from quart import Blueprint, Response

from jackfield.api.auth import OWNER, SCOPES, Principal
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, principal, read_model
from jackfield.api.json_values import Json
from jackfield_mcp.oauth.book import OAuthBook
from jackfield_mcp.oauth.records import OAuthClient, OAuthGrant
from jackfield_mcp.oauth.redirects import shown_host
from jackfield_mcp.oauth.requests import AuthorizationRequest, OAuthRequests

if TYPE_CHECKING:
    from jackfield_mcp.oauth.schemas import Decision

_SCHEMAS = "jackfield_mcp.oauth.schemas"
TAGS = ("mcp",)
_GONE = "This request is over, or was decided already; let the client ask again."


class OAuthRoutes:
    """For whoever is logged in, with all of their rights: a key with scopes grants nothing."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation(
        "Show a client that asks to be let in",
        operation_id="getMcpAuthorization",
        scope=None,
        response=f"{_SCHEMAS}:AuthorizationShown",
        tags=TAGS,
    )
    async def get_authorization(self, request_name: str) -> Response:
        caller = _unrestricted()
        asked = await self._context.port(OAuthRequests).find(request_name)
        client = None if asked is None else await self._context.port(OAuthBook).client(asked.client_id)
        if asked is None or client is None:
            raise NotFound(_GONE)
        return json_response(
            {
                "client": client.name,
                "redirectHost": shown_host(asked.redirect_uri),
                "username": caller.username,
                "scopes": list[Json](_grantable(caller, client, asked)),
                "asked": list[Json](asked.scopes),
            }
        )

    @operation(
        "Let a client in with some scopes, or not; the answer says where the browser goes",
        operation_id="answerMcpAuthorization",
        scope=None,
        request=f"{_SCHEMAS}:Decision",
        response=f"{_SCHEMAS}:Decided",
        tags=TAGS,
        errors=(NotFound,),
    )
    async def decide_authorization(self, request_name: str) -> Response:
        caller = _unrestricted()
        body: Decision = await read_model(f"{_SCHEMAS}:Decision")
        requests = self._context.port(OAuthRequests)
        seen = await requests.find(request_name)
        client = None if seen is None else await self._context.port(OAuthBook).client(seen.client_id)
        if seen is None or client is None:
            raise NotFound(_GONE)
        scopes = tuple(dict.fromkeys(body.scopes))
        wrong = [scope for scope in scopes if scope not in _grantable(caller, client, seen)]
        if body.allow and (wrong or not scopes):
            raise InvalidInput("Grant some of the scopes that were shown.", details={"scopes": "some of those shown"})
        asked = await requests.take(request_name)
        if asked is None:
            raise NotFound(_GONE)
        if not body.allow:
            return json_response({"redirect": _address(asked, {"error": "access_denied"})})
        code = await requests.allow(asked, caller.user_id, await self._version(caller), scopes)
        self._context.log.info("MCP: %s let in the client %s.", caller.username, client.id, extra={"scopes": scopes})
        return json_response({"redirect": _address(asked, {"code": code})})

    async def _version(self, caller: Principal) -> int:
        user = None if caller.user_id == OWNER.user_id else await self._context.store.user(caller.user_id)
        return 0 if user is None else user.version

    @operation(
        "List the clients that were let in: one's own, for administrators everybody's",
        operation_id="listMcpGrants",
        scope=None,
        response=f"{_SCHEMAS}:GrantList",
        tags=TAGS,
    )
    async def list_grants(self) -> Response:
        caller = _unrestricted()
        whose = None if caller.role == "admin" else caller.user_id
        found = await self._context.port(OAuthBook).grants(whose)
        return json_response({"data": [_view(one) for one in found], "total": len(found)})

    @operation(
        "Revoke a grant: its tokens count no more",
        operation_id="revokeMcpGrant",
        scope=None,
        status=204,
        tags=TAGS,
    )
    async def revoke_grant(self, grant_id: str) -> Response:
        caller = _unrestricted()
        mine = caller.role == "admin"
        ended = await self._context.port(OAuthBook).end(grant_id, lambda one: mine or one.user_id == caller.user_id)
        if not ended:
            raise NotFound("There is no such grant.")
        return Response(status=204)


def _unrestricted() -> Principal:
    caller = principal()
    if caller.is_limited:
        raise AccessDenied("A credential with scopes or projects lets nobody in; log in.")
    return caller


def _grantable(caller: Principal, client: OAuthClient, asked: AuthorizationRequest) -> Sequence[str]:
    """The scopes that the client asks for, or has registered for, as far as the caller may do it."""
    wanted = asked.scopes or client.scope.split()
    return [scope for scope in sorted(wanted) if scope in SCOPES and caller.may(scope)]


def _address(asked: AuthorizationRequest, answer: dict[str, str]) -> str:
    """RFC 6749 section 4.1.2, with the issuer of RFC 9207."""
    parts = urlsplit(asked.redirect_uri)
    pairs = [*parse_qsl(parts.query, keep_blank_values=True), *answer.items()]
    if asked.state:
        pairs.append(("state", asked.state))
    pairs.append(("iss", asked.base))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(pairs), ""))


def _view(one: OAuthGrant) -> dict[str, Json]:
    return {
        "id": one.id,
        "client": one.client_name,
        "clientId": one.client_id,
        "userId": one.user_id,
        "scopes": list[Json](one.scopes),
        "createdAt": iso(one.created_at),
        "usedAt": iso(one.used_at),
        "expiresAt": iso(one.until),
    }


def grant_rules(made: Blueprint, context: PluginContext) -> None:
    views = OAuthRoutes(context)
    one = "/authorizations/<request_name>"
    made.add_url_rule(one, view_func=views.get_authorization, methods=["GET"])
    made.add_url_rule(one, view_func=views.decide_authorization, methods=["POST"])
    made.add_url_rule("/grants", view_func=views.list_grants, methods=["GET"])
    made.add_url_rule("/grants/<grant_id>", view_func=views.revoke_grant, methods=["DELETE"])
