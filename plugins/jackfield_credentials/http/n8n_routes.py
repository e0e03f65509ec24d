"""n8n's `/credentials`: `type` and `data` in place of `kind` and `values`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialField, CredentialKind
from jackfield.api.errors import InvalidInput, NotFound
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield.api.jsontext import Json, dumps
from jackfield.api.n8n_api import N8N_PREFIX
from jackfield.api.n8n_pages import CursorQuery, asked_cursor, page, project_of, shared, transfer
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.storage import Credential
from jackfield_credentials.changes import CredentialChanges, keep_kind

if TYPE_CHECKING:
    from jackfield.api.n8n_pages import TransferBody
    from jackfield_credentials.http.n8n_schemas import N8nCredentialBody, N8nCredentialChange

TAGS = ("n8n credentials",)
SCOPE = "credentials:write"
LONGEST = 65_536
"""Characters of one value."""
_SCHEMAS = "jackfield_credentials.http.n8n_schemas"


class N8nCredentials:
    """Views on credentials; all of them need the scope credentials:write."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._changes = CredentialChanges(context)

    @operation(
        "List credentials, without values",
        scope=SCOPE,
        query="jackfield.api.n8n_pages:CursorQuery",
        response=f"{_SCHEMAS}:N8nCredentialPage",
        tags=TAGS,
    )
    async def list_credentials(self) -> Response:
        cursor = asked_cursor(read_query(CursorQuery))
        found = await self._context.store.credentials(cursor.offset, cursor.limit)
        return json_response(
            page([await self._shown(row) for row in found.rows], cursor.after(len(found.rows), found.total))
        )

    @operation(
        "Create a credential",
        scope=SCOPE,
        request=f"{_SCHEMAS}:N8nCredentialBody",
        response=f"{_SCHEMAS}:N8nCredential",
        tags=TAGS,
        errors=(NotFound,),
    )
    async def create_credential(self) -> Response:
        body: N8nCredentialBody = await read_model(f"{_SCHEMAS}:N8nCredentialBody")
        await ask_about(self._context.find_port(ProjectAccess), body.project_id)
        with _DataErrors():
            return json_response(await self._shown(await self._changes.create(body.name, body.type, _texts(body.data))))

    @operation("Read a credential, without values", scope=SCOPE, response=f"{_SCHEMAS}:N8nCredential", tags=TAGS)
    async def get_credential(self, credential_id: str) -> Response:
        return json_response(await self._shown(await self._changes.find(credential_id)))

    @operation(
        "Change a credential",
        scope=SCOPE,
        request=f"{_SCHEMAS}:N8nCredentialChange",
        response=f"{_SCHEMAS}:N8nCredential",
        tags=TAGS,
    )
    async def update_credential(self, credential_id: str) -> Response:
        body: N8nCredentialChange = await read_model(f"{_SCHEMAS}:N8nCredentialChange")
        present = await self._changes.find(credential_id)
        keep_kind(present, body.type or present.kind, "type")
        with _DataErrors():
            values = None if body.data is None else _texts(body.data)
            if values is not None and body.is_partial_data:
                kept = {name: text for name, text in self._changes.values(present).items() if name != TOKENS}
                values = {**kept, **values}
            return json_response(await self._shown(await self._changes.change(credential_id, body.name, values)))

    @operation(
        "Delete a credential, and show it once more", scope=SCOPE, response=f"{_SCHEMAS}:N8nCredential", tags=TAGS
    )
    async def delete_credential(self, credential_id: str) -> Response:
        present = await self._changes.find(credential_id)
        shown = await self._shown(present)
        await self._changes.delete(credential_id)
        return json_response(shown)

    @operation(
        "Move a credential to another project",
        scope=SCOPE,
        request="jackfield.api.n8n_pages:TransferBody",
        status=204,
        tags=TAGS,
    )
    async def transfer_credential(self, credential_id: str) -> Response:
        body: TransferBody = await read_model("jackfield.api.n8n_pages:TransferBody")
        await self._changes.find(credential_id)
        await transfer(self._context, "credential", credential_id, body.destination_project_id)
        return Response(status=204)

    @operation("Try a credential", scope=SCOPE, response=f"{_SCHEMAS}:N8nCredentialTest", tags=TAGS)
    async def test_credential(self, credential_id: str) -> Response:
        verdict = await self._changes.test(credential_id, None)
        return json_response({"status": "OK" if verdict.valid else "Error", "message": verdict.message})

    @operation(
        "Read which data a type of credentials has, as JSON Schema",
        operation_id="getCredentialSchema",
        scope=SCOPE,
        response=f"{_SCHEMAS}:N8nCredentialSchema",
        tags=TAGS,
    )
    async def get_schema(self, kind: str) -> Response:
        return json_response(_schema(await self._changes.kind(kind, "type")))

    async def _shown(self, credential: Credential) -> dict[str, Json]:
        return _view(credential, await project_of(self._context, "credential", credential.id))


def n8n_blueprint(context: PluginContext) -> Blueprint:
    views = N8nCredentials(context)
    made = Blueprint("n8n_credentials", __name__, url_prefix=f"{N8N_PREFIX}/credentials")
    one = "/<credential_id>"
    for method, path, view in (
        ("GET", "", views.list_credentials),
        ("POST", "", views.create_credential),
        ("GET", one, views.get_credential),
        ("PATCH", one, views.update_credential),
        ("DELETE", one, views.delete_credential),
        ("PUT", f"{one}/transfer", views.transfer_credential),
        ("POST", f"{one}/test", views.test_credential),
        ("GET", "/schema/<kind>", views.get_schema),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return made


class _DataErrors:
    """Mistakes are named where n8n's clients have written the values."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InvalidInput) and error.details:
            renamed = {path.replace("values.", "data.", 1): text for path, text in error.details.items()}
            raise InvalidInput(error.message, details=renamed) from None


def _texts(data: Mapping[str, Json]) -> dict[str, str]:
    """Values as they are kept. Raises `InvalidInput` for long ones."""
    found = {name: _text(value) for name, value in data.items() if value is not None}
    if long := [name for name, text in found.items() if len(text) > LONGEST]:
        raise InvalidInput("A value is too long.", details={f"data.{long[0]}": f"has at most {LONGEST} characters"})
    return found


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return ("false", "true")[value] if isinstance(value, bool) else dumps(value).decode()


def _view(credential: Credential, project_id: str) -> dict[str, Json]:
    return {
        "id": credential.id,
        "name": credential.name,
        "type": credential.kind,
        "isManaged": False,
        "isGlobal": False,
        "isResolvable": False,
        "createdAt": iso(credential.created_at),
        "updatedAt": iso(credential.updated_at),
        "shared": [{**shared("credential:owner", project_id), "credentialId": credential.id}],
    }


def _schema(kind: CredentialKind) -> dict[str, Json]:
    known = [*kind.fields, CredentialField(ALLOWED_HOSTS, "Allowed hosts")]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _property(field) for field in known},
        "required": [field.name for field in kind.fields if field.required and not field.default],
    }


def _property(field: CredentialField) -> Json:
    kind = {"boolean": "boolean", "json": "object"}.get(field.type, "string")
    choices: list[Json] = list(field.choices)
    return {"type": kind, **({"enum": choices} if choices else {})}
