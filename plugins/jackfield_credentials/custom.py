"""`httpCustomAuth`: headers, query and body of the author's choice; `httpMultipleHeadersAuth`: headers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlencode

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_credentials.placing import with_header, with_query

_FORM = "application/x-www-form-urlencoded"


def custom_auth(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """Raises `NodeError` when the JSON is none, or the body cannot take fields."""
    given = _object(values.get("json", ""))
    for name, value in _part(given, "headers"):
        call = with_header(call, name, text(value))
    for name, value in _part(given, "qs"):
        call = with_query(call, name, text(value))
    fields = dict(_part(given, "body"))
    if not fields:
        return call
    secrets = [text(value) for value in fields.values()]
    return replace(call, body=_body(call.body, fields), secret_body=True, secrets=[*call.secrets, *secrets])


def multiple_headers(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """Raises `NodeError` when the JSON is not what n8n has there."""
    try:
        found = loads(values.get("headers", ""))
    except InvalidInput:
        found = None
    rows = found.get("values") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise NodeError(
            'The credential httpMultipleHeadersAuth must be an object such as {"values": [{"name": "X-Key", "value": '
            '"..."}]}.'
        )
    for row in rows:
        name = row.get("name") if isinstance(row, dict) else None
        if isinstance(row, dict) and isinstance(name, str) and name.strip():
            call = with_header(call, name, text(row.get("value", "")))
    return call


def text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


def _object(written: str) -> dict[str, Json]:
    try:
        found = loads(written)
    except InvalidInput:
        found = None
    if not isinstance(found, dict):
        raise NodeError('The credential httpCustomAuth must be a JSON object such as {"headers": {"X-Key": "..."}}.')
    return found


def _part(given: Mapping[str, Json], name: str) -> Iterator[tuple[str, Json]]:
    found = given.get(name)
    if found is not None and not isinstance(found, dict):
        raise NodeError(f"The part {name} of the credential httpCustomAuth must be an object.")
    yield from (found or {}).items()


def _body(body: HttpBody | None, fields: Mapping[str, Json]) -> HttpBody:
    kind = (body.content_type or "") if body else ""
    whole = body.whole if body else None
    if whole is not None and kind.startswith(_FORM):
        present = [pair for pair in parse_qsl(whole.decode(), keep_blank_values=True) if pair[0] not in fields]
        return HttpBody(urlencode([*present, *((n, text(v)) for n, v in fields.items())]).encode(), kind)
    try:
        value = loads(whole or b"", max_depth=200) if body else {}
    except InvalidInput:
        value = None
    if not isinstance(value, dict):
        raise NodeError("The credential httpCustomAuth has fields for the body, which is no JSON object and no form.")
    return HttpBody(dumps(value | dict(fields)), kind or "application/json")
