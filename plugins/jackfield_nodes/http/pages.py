"""Pagination of HTTP Request: one call after another, the parameters of each evaluated when the answer before it is
known.

Source: n8n's documentation, HTTP Request node, pagination. `$request` is the request without what pagination changes,
`$response` the last answer (empty before the first), `$pageCount` how many answers came. A parameter that evaluates to
nothing is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from urllib.parse import parse_qsl, urlencode

from pydantic import ValidationError

from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpClient, host_named
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.records import record, replace
from jackfield_nodes.http.call import Body, Call, Expect, Pairs, Reply
from jackfield_nodes.http.idempotency import with_key
from jackfield_nodes.http.page_settings import PageParameter, PageSettings
from jackfield_nodes.http.response import as_json, as_text, detected, media_type, raise_for_status, shown_headers
from jackfield_nodes.http.urls import checked_url, same_origin
from jackfield_nodes.values.conversions import text_of

IDENTICAL = 5
"""After that many answers with the same body in a row the run fails: nothing tells the server to go on."""
_FORM = "application/x-www-form-urlencoded"


@record
class PageFetch:
    """The state that all pages of one item share.

    `request`: `$request`. `most`: pages that the settings allow. `key_header`: see `with_key`.
    """

    run: NodeRun
    client: HttpClient
    clock: Clock
    call: Call
    expect: Expect
    authorization: Authorization | None
    templates: Mapping[str, Json]
    request: dict[str, Json]
    item: int
    most: int
    key_header: str = ""


async def pages(fetch: PageFetch) -> AsyncIterator[Reply]:
    """Every answer in order. Raises `NodeError`."""
    seen = _Repetition()
    response: dict[str, Json] = {}
    settings = await _settings(fetch, 0, response)
    for count in range(1, fetch.most + 1):
        call = with_key(_page_call(fetch, settings), fetch.run, fetch.key_header, fetch.item, count - 1)
        reply = await fetch.client.send(call, _bound(fetch, call))
        if reply.status not in settings.statuses():
            raise_for_status(reply, fetch.expect, _host(call))
        seen.check(reply)
        yield reply
        response = _shown(reply)
        settings = await _settings(fetch, count, response)
        limit = settings.max_requests if settings.limit_pages_fetched else None
        if (limit and count >= limit) or _complete(settings, reply, response):
            return
        if settings.request_interval:
            await fetch.clock.sleep(settings.request_interval / 1000)
    raise NodeError(f"The pagination did not end within {fetch.most} pages (nodes.http.max_pages).")


async def _settings(fetch: PageFetch, count: int, response: dict[str, Json]) -> PageSettings:
    extra: dict[str, Json] = {"$request": fetch.request, "$response": response, "$pageCount": count}
    found = await fetch.run.evaluate({"options": {"pagination": dict(fetch.templates)}}, item=fetch.item, extra=extra)
    try:
        return PageSettings.model_validate(found["options"]["pagination"])  # type: ignore[index,call-overload]
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
        path = ".".join(["options.pagination", *map(str, first["loc"])])
        raise NodeError(f"The parameter {path} is not valid: {first['msg']}.") from None


def _complete(settings: PageSettings, reply: Reply, response: Mapping[str, Json]) -> bool:
    match settings.pagination_complete_when:
        case "receiveSpecificStatusCodes":
            return reply.status in settings.statuses()
        case "other":
            return bool(settings.complete_expression)
    if settings.pagination_mode == "responseContainsNextURL" and not settings.next_url:
        return True
    return not response["body"]


def _page_call(fetch: PageFetch, settings: PageSettings) -> Call:
    if settings.pagination_mode == "responseContainsNextURL":
        return replace(fetch.call, url=settings.next_url, query=[]) if settings.next_url else fetch.call
    call = fetch.call
    for row in settings.parameters.parameters:
        if not row.name:
            raise NodeError("A parameter of the pagination has no name; give each one a name.")
        if row.value is not None:
            call = _with(call, row)
    return call


def _with(call: Call, row: PageParameter) -> Call:
    if row.type == "body":
        return replace(call, body=_body(call.body, row.name, row.value))
    given = call.query if row.type == "qs" else call.headers
    same = str.__eq__ if row.type == "qs" else _same_header
    others: Pairs = [pair for pair in given if not same(pair[0], row.name)]
    changed: Pairs = [*others, (row.name, text_of(row.value))]
    return replace(call, query=changed) if row.type == "qs" else replace(call, headers=changed)


def _same_header(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _body(body: Body | None, name: str, value: object) -> Body:
    """The body with one field set: a JSON object, or a form."""
    kind = (body.content_type or "") if body else ""
    whole = body.whole if body else None
    if kind.startswith(_FORM) and whole is not None:
        fields = [pair for pair in parse_qsl(whole.decode(), keep_blank_values=True) if pair[0] != name]
        return Body(urlencode([*fields, (name, text_of(value))]).encode(), kind)
    try:
        present = loads(whole or b"", max_depth=200) if body else {}
    except InvalidInput:
        present = None
    if not isinstance(present, dict):
        raise NodeError(f"Pagination cannot set the body's parameter {name}: the body is no JSON object and no form.")
    return Body(dumps(present | {name: value}), kind or "application/json")


def _bound(fetch: PageFetch, call: Call) -> Authorization | None:
    """The credential stays at the first page's origin, unless it names the other host."""
    if fetch.authorization is None or call.url == fetch.call.url:
        return fetch.authorization
    old, new = checked_url(fetch.call.url), checked_url(call.url)
    if same_origin(old, new) or host_named(new.unicode_host, fetch.authorization.allowed_hosts):
        return fetch.authorization
    raise NodeError(
        f"The next page is at {new.unicode_host}, and the credential belongs to {old.unicode_host}; "
        "name both in its allowedHosts."
    )


def _host(call: Call) -> str:
    return checked_url(call.url).unicode_host


def _shown(reply: Reply) -> dict[str, Json]:
    """`$response`"""
    kind = detected(media_type(reply))
    body: Json = as_json(reply, lenient=True) if kind == "json" else "" if kind == "file" else as_text(reply)
    return {"body": body, "headers": shown_headers(reply), "statusCode": reply.status}


class _Repetition:
    """Notices a server that answers the same again and again."""

    def __init__(self) -> None:
        self._last = b""
        self._count = 0

    def check(self, reply: Reply) -> None:
        file = reply.file
        found = hashlib.sha256((file.get("id") or file["data"]).encode() if file else reply.body).digest()
        self._count = self._count + 1 if found == self._last else 1
        self._last = found
        if self._count >= IDENTICAL:
            raise NodeError(
                f"The server gave the same answer {IDENTICAL} times, so that the pagination was stopped; check when it "
                "is complete."
            )
