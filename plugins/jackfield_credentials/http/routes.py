"""`/credentials`: secrets that nodes use. They are encrypted at rest and never come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Blueprint, Response, request

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, CREDENTIAL_KINDS, TOKENS, CredentialKind, OAuth2, Probe
from jackfield.api.errors import Conflict, DataDamaged, InvalidInput
from jackfield.api.http import json_response, operation, parse_model, principal, read_json, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield.api.secret_references import refers_to_secrets
from jackfield.api.storage import Credential
from jackfield_credentials.changes import CredentialChanges, keep_kind
from jackfield_credentials.http.n8n_routes import n8n_blueprint
from jackfield_credentials.service import CredentialService
from jackfield_credentials.vault import Vault

if TYPE_CHECKING:
    from jackfield_credentials.http.schemas import CredentialBody, CredentialChange, CredentialsQuery, CredentialTest

TAGS = ("credentials",)
SCOPE = "credentials:write"
_SCHEMAS = "jackfield_credentials.http.schemas"


class CredentialRoutes:
    """Views on credentials; all of them, reading too, need the scope credentials:write."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._changes = CredentialChanges(context)

    @property
    def _vault(self) -> Vault:
        return self._changes.vault

    @operation(
        "List credentials, without values",
        scope=SCOPE,
        query=f"{_SCHEMAS}:CredentialsQuery",
        response=f"{_SCHEMAS}:CredentialPage",
        tags=TAGS,
    )
    async def list_credentials(self) -> Response:
        query: CredentialsQuery = read_query(f"{_SCHEMAS}:CredentialsQuery")
        found = await self._context.store.credentials(query.offset, query.limit)
        rows = [credential_view(row) for row in found.rows]
        return json_response({"data": rows, "total": found.total, "offset": query.offset, "limit": query.limit})

    @operation(
        "Create a credential",
        scope=SCOPE,
        request=f"{_SCHEMAS}:CredentialBody",
        response=f"{_SCHEMAS}:CredentialRow",
        status=201,
        tags=TAGS,
    )
    async def create_credential(self) -> Response:
        body: CredentialBody = await read_model(f"{_SCHEMAS}:CredentialBody")
        return json_response(credential_view(await self._changes.create(body.name, body.kind, body.values)), 201)

    @operation(
        "Read a credential with the values that are no secrets",
        scope=SCOPE,
        response=f"{_SCHEMAS}:CredentialShown",
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_credential(self, credential_id: str) -> Response:
        stored = await self._changes.find(credential_id)
        values = self._changes.values(stored)
        shown: dict[str, Json] = {
            name: value
            for name, value in values.items()
            if name != TOKENS and (refers_to_secrets(value) or not self._hidden(stored.kind, name))
        }
        kind = self._vault.kind(stored.kind)
        connected = {"connected": TOKENS in values} if kind and isinstance(kind.scheme, OAuth2) else {}
        return json_response({**credential_view(stored), "values": shown, **connected})

    def _hidden(self, kind: str, name: str) -> bool:
        """Of kinds that nobody describes, nothing is known to be harmless."""
        return name != ALLOWED_HOSTS if self._vault.kind(kind) is None else self._vault.is_secret(kind, name)

    @operation(
        "Replace a credential's name and all its values",
        operation_id="replaceCredential",
        scope=SCOPE,
        request=f"{_SCHEMAS}:CredentialBody",
        response=f"{_SCHEMAS}:CredentialRow",
        tags=TAGS,
    )
    async def put_credential(self, credential_id: str) -> Response:
        body: CredentialBody = await read_model(f"{_SCHEMAS}:CredentialBody")
        present = await self._changes.find(credential_id)
        keep_kind(present, body.kind, "kind")
        return json_response(credential_view(await self._changes.change(credential_id, body.name, body.values)))

    @operation(
        "Change a credential's name, or replace all its values",
        operation_id="updateCredential",
        scope=SCOPE,
        request=f"{_SCHEMAS}:CredentialChange",
        response=f"{_SCHEMAS}:CredentialRow",
        tags=TAGS,
    )
    async def patch_credential(self, credential_id: str) -> Response:
        await self._changes.find(credential_id)
        body: CredentialChange = await read_model(f"{_SCHEMAS}:CredentialChange")
        return json_response(credential_view(await self._changes.change(credential_id, body.name, body.values)))

    @operation("Delete a credential", scope=SCOPE, status=204, tags=TAGS)
    async def delete_credential(self, credential_id: str) -> Response:
        await self._changes.delete(credential_id)
        return Response(status=204)

    @operation(
        "Try a credential: ask for a token, or a server with it",
        scope=SCOPE,
        request=f"{_SCHEMAS}:CredentialTest",
        response=f"{_SCHEMAS}:TestShown",
        tags=TAGS,
        body_optional=True,
    )
    async def test_credential(self, credential_id: str) -> Response:
        model = cast("type[CredentialTest]", load(f"{_SCHEMAS}:CredentialTest"))
        body = parse_model(model, await read_json() if await request.get_data(cache=True) else {})
        if body.url is not None:
            # The server of the caller's choice reads the secret, which this scope alone must not give.
            principal().require("workflows:execute")
        # Braces of the caller's URL are no template.
        literal = body.url and body.url.replace("{", "{{").replace("}", "}}")
        asked = Probe(literal, body.method) if literal else None
        verdict = await self._changes.test(credential_id, asked)
        return json_response({"valid": verdict.valid, "message": verdict.message, "tested": verdict.tested})

    @operation(
        "Begin to connect an OAuth 2 credential: the URL at which its user grants access",
        operation_id="authorizeCredential",
        scope=SCOPE,
        response=f"{_SCHEMAS}:AuthorizeShown",
        tags=TAGS,
        errors=(Conflict,),
        act="credential.authorize",
    )
    async def authorize(self, credential_id: str) -> Response:
        stored = await self._changes.find(credential_id)
        kind = self._vault.kind(stored.kind)
        if kind is None or not isinstance(kind.scheme, OAuth2):
            raise Conflict(f"Credentials of the kind {stored.kind} are not connected to a provider.")
        try:
            begun = await self._context.port(CredentialService).authorizing.begin(stored.id)
        except NodeError as exc:
            raise InvalidInput(exc.message) from None
        return json_response({"url": begun.url, "expiresAt": begun.expires_at, "redirectUri": begun.redirect_uri})

    @operation(
        "List kinds of credentials with their fields",
        operation_id="listCredentialKinds",
        scope=SCOPE,
        response=f"{_SCHEMAS}:KindList",
        tags=TAGS,
    )
    async def list_kinds(self) -> Response:
        await self._vault.ready()
        found = [kind_view(kind) for _, kind in sorted(self._context.extensions(CREDENTIAL_KINDS).items())]
        return json_response({"data": found, "total": len(found)})

    @operation(
        "Read a kind of credentials",
        operation_id="getCredentialKind",
        scope=SCOPE,
        response=f"{_SCHEMAS}:KindShown",
        tags=TAGS,
    )
    async def get_kind(self, kind: str) -> Response:
        return json_response(kind_view(await self._changes.kind(kind, "kind")))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = CredentialRoutes(context)
    made = Blueprint("credentials", __name__, url_prefix="/api/v1")
    one = "/credentials/<credential_id>"
    for method, path, view in (
        ("GET", "/credentials", views.list_credentials),
        ("POST", "/credentials", views.create_credential),
        ("GET", one, views.get_credential),
        ("PUT", one, views.put_credential),
        ("PATCH", one, views.patch_credential),
        ("DELETE", one, views.delete_credential),
        ("POST", f"{one}/test", views.test_credential),
        ("GET", f"{one}/oauth2/authorize", views.authorize),
        ("GET", "/credential-kinds", views.list_kinds),
        ("GET", "/credential-kinds/<kind>", views.get_kind),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made, n8n_blueprint(context)]


def credential_view(credential: Credential) -> dict[str, Json]:
    return {
        "id": credential.id,
        "name": credential.name,
        "kind": credential.kind,
        "createdAt": iso(credential.created_at),
        "updatedAt": iso(credential.updated_at),
    }


def kind_view(kind: CredentialKind) -> dict[str, Json]:
    return {
        "kind": kind.name,
        "title": kind.title,
        "forRequests": kind.scheme is not None,
        "oauth2": isinstance(kind.scheme, OAuth2),
        "fields": [
            {
                "name": field.name,
                "title": field.title,
                "type": field.type,
                "secret": field.secret,
                "required": field.required,
                "default": field.default,
                "choices": list(field.choices),
                "description": field.description,
            }
            for field in kind.fields
        ],
    }
