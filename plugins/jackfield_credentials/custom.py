"""`httpCustomAuth`: headers, query and body of the author's choice."""

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
