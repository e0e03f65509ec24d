"""Avro values as Confluent's Schema Registry frames them: a zero, the schema's number in four bytes, the value.

Source: Confluent's documentation, *Wire format* and *Schema Registry API Reference*."""

from __future__ import annotations

import io
from typing import Any, cast
from urllib.parse import quote

import fastavro

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpCall, HttpClient
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import CredentialAccess
from jackfield_integrations.kinds import SCHEMA_REGISTRY
from jackfield_integrations.secret_values import DriverCredential

_MOST = 1000
"""Schemas that one connection keeps."""
_HEAD = 5


class SchemaRegistry:
    """One registry, with the schemas that it has told. Every method raises `NodeError`."""

    def __init__(self, http: HttpClient, url: str, authorization: Authorization | None) -> None:
        """url: of the registry; its requests go through the network guard of HTTP."""
        if not url.startswith(("http://", "https://")):
            raise NodeError(
                "Give the schema registry's URL, with https:// or http://, or a Schema Registry credential."
            )
        self._http = http
        self._url = url.rstrip("/")
        self._authorization = authorization
        self._schemas: dict[int, Any] = {}  # Any: fastavro's parsed schemas

    async def decoded(self, framed: bytes) -> Json:
        if len(framed) < _HEAD or framed[0] != 0:
            raise NodeError("The message does not begin as one of a schema registry does.")
        schema = await self._schema(int.from_bytes(framed[1:_HEAD], "big"))
        try:
            return _plain(fastavro.schemaless_reader(io.BytesIO(framed[_HEAD:]), schema, None))
        except (ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError):
            raise NodeError("The message does not fit the schema that it names.") from None

    async def latest(self, subject: str) -> int:
        """The number of the subject's newest schema."""
        found = await self._asked(f"/subjects/{quote(subject, safe='')}/versions/latest")
        number = found.get("id")
        if not isinstance(number, int):
            raise NodeError("The schema registry does not tell the number of the schema.")
        self._keep(number, found)
        return number

    async def encoded(self, number: int, value: Json) -> bytes:
        schema = await self._schema(number)
        out = io.BytesIO()
        try:
            fastavro.schemaless_writer(out, schema, value)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, IndexError) as exc:
            raise NodeError(f"The message does not fit the schema {number}: {str(exc)[:200]}.") from None
        return b"\0" + number.to_bytes(4, "big") + out.getvalue()

    async def _schema(self, number: int) -> Any:  # Any: as above
        if number not in self._schemas:
            self._keep(number, await self._asked(f"/schemas/ids/{number}"))
        return self._schemas[number]

    def _keep(self, number: int, found: dict[str, Json]) -> None:
        kind = found.get("schemaType", "AVRO")
        if kind != "AVRO" or found.get("references"):
            told = "refers to others" if kind == "AVRO" else f"is one of {kind}"
            raise NodeError(f"The schema {number} {told}; use an Avro schema that stands alone.")
        try:
            parsed = fastavro.parse_schema(cast("Any", _bare(loads(str(found.get("schema", "")).encode()))))
        except Exception:  # a foreign text: the library raises whatever it meets there
            raise NodeError(f"The schema {number} of the registry cannot be read.") from None
        if len(self._schemas) >= _MOST:
            self._schemas.clear()
        self._schemas[number] = parsed

    async def _asked(self, path: str) -> dict[str, Json]:
        reply = await self._http.send(HttpCall("GET", self._url + path), self._authorization)
        if reply.status != 200:
            raise NodeError(f"The schema registry answers {path} with status {reply.status}.")
        try:
            found = loads(reply.body)
        except InvalidInput:
            found = None
        if not isinstance(found, dict):
            raise NodeError("The schema registry's answer is no object.")
        return found


def _bare(schema: Json) -> Json:
    """Without logical types, which n8n's library leaves as they are written."""
    if isinstance(schema, dict):
        return {name: _bare(value) for name, value in schema.items() if name != "logicalType"}
    return [_bare(entry) for entry in schema] if isinstance(schema, list) else schema


def _plain(value: Any) -> Json:  # Any: whatever an Avro value holds
    """Bytes as Node.js shows its buffers, and other values as they are."""
    if isinstance(value, bytes):
        return {"type": "Buffer", "data": list(value)}
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


async def registry(http: HttpClient, credentials: CredentialAccess, selected: bool, url: str) -> SchemaRegistry:
    """Of a node. selected: whether it has a Schema Registry credential, which counts before the url. Raises
    `NodeError`."""
    if not selected:
        return SchemaRegistry(http, url.strip(), None)
    values = DriverCredential(SCHEMA_REGISTRY, await credentials.credential(SCHEMA_REGISTRY.name))
    basic = values.text("authentication", "basicAuth") == "basicAuth"
    authorization = await credentials.authorization(SCHEMA_REGISTRY.name) if basic else None
    return SchemaRegistry(http, values.needed("url"), authorization)
