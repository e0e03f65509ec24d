"""`/credentials`: secrets that nodes use. The values are encrypted at rest and never come back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import orjson
from quart import Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.storage import Credential
from jackfield_workflows.identities import known_id
from jackfield_workflows.requests import page_view, paging
from jackfield_workflows.routes import Route, schema

TAGS = ("credentials",)
NOT_SECRET = frozenset({"name", "user", "username", "algorithm", "allowedHosts", "headerName"})
"""Values that may stand in a log: to hide them would hide half of every line."""


class CredentialRoutes:
    """Views on credentials; all of them, reading too, need the scope credentials:write."""

    name = "credentials"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        one = "/credentials/<credential_id>"
        return (
            ("GET", "/credentials", self.list_credentials),
            ("POST", "/credentials", self.create_credential),
            ("GET", one, self.get_credential),
            ("PATCH", one, self.patch_credential),
            ("DELETE", one, self.delete_credential),
        )

    @operation(
        "List credentials, without values", scope="credentials:write", response=schema("CredentialPage"), tags=TAGS
    )
    async def list_credentials(self) -> Response:
        page = paging()
        found = await self._context.store.credentials(page.offset, page.limit)
        return json_response(page_view([credential_view(row) for row in found.rows], found.total, page))

    @operation(
        "Create a credential",
        scope="credentials:write",
        request=schema("CredentialBody"),
        response=schema("CredentialShown"),
        status=201,
        tags=TAGS,
    )
    async def create_credential(self) -> Response:
        from jackfield_workflows.schemas import CredentialBody

        body = await read_model(CredentialBody)
        now = self._context.clock.now_ms()
        credential = Credential(new_id(), body.name, body.kind, await self._sealed(body.values), now, now)
        await self._context.store.put_credential(credential)
        return json_response(credential_view(credential), 201)

    @operation(
        "Read a credential, without values", scope="credentials:write", response=schema("CredentialShown"), tags=TAGS
    )
    async def get_credential(self, credential_id: str) -> Response:
        return json_response(credential_view(await self._stored(credential_id)))

    @operation(
        "Change a credential's name, or replace all its values",
        scope="credentials:write",
        request=schema("CredentialChange"),
        response=schema("CredentialShown"),
        tags=TAGS,
    )
    async def patch_credential(self, credential_id: str) -> Response:
        from jackfield_workflows.schemas import CredentialChange

        present, body = await self._stored(credential_id), await read_model(CredentialChange)
        changed = replace(
            present,
            name=present.name if body.name is None else body.name,
            sealed=present.sealed if body.values is None else await self._sealed(body.values),
            updated_at=self._context.clock.now_ms(),
        )
        await self._context.store.put_credential(changed)
        return json_response(credential_view(changed))

    @operation("Delete a credential", scope="credentials:write", status=204, tags=TAGS)
    async def delete_credential(self, credential_id: str) -> Response:
        if not await self._context.store.delete_credential(known_id(credential_id, "credential")):
            raise _unknown()
        return Response(status=204)

    async def _sealed(self, values: Mapping[str, str]) -> bytes:
        self._context.secrets.redact(*(value for name, value in values.items() if name not in NOT_SECRET))
        return await asyncio.to_thread(self._context.secrets.seal, orjson.dumps(dict(values)))

    async def _stored(self, credential_id: str) -> Credential:
        found = await self._context.store.credential(known_id(credential_id, "credential"))
        if found is None:
            raise _unknown()
        return found


def credential_view(credential: Credential) -> dict[str, Json]:
    return {
        "id": credential.id,
        "name": credential.name,
        "kind": credential.kind,
        "createdAt": iso(credential.created_at),
        "updatedAt": iso(credential.updated_at),
    }


def _unknown() -> NotFound:
    return NotFound("There is no credential with this id.")
