"""Requests of an operation, and what their answers say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast
from urllib.parse import quote, urlencode, urlsplit

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield_vendors.described.description import DescribedNode, Errors
from jackfield_vendors.operations import CompiledRequest
from jackfield_vendors.shapes import Shape
from jackfield_vendors.templates import (
    MISSING,
    Missing,
    Template,
    TemplateReference,
    TemplateScope,
    as_text,
    at,
    value_of,
)

_EXCERPT = 300
_XML = "jackfield.api.xml_answers:parsed"
"""By its place: few services answer in XML."""
_FORM = "application/x-www-form-urlencoded"


def call_of(node: DescribedNode, base: Template, request: CompiledRequest, scope: TemplateScope) -> HttpCall:
    """The request without its files. Raises `NodeError` naming the parameter that the address lacks."""
    headers: Pairs = [("accept", "application/json"), *node.headers.items()]
    for name, template in request.headers.items():
        if not isinstance(value := value_of(template, scope), Missing):
            headers = [pair for pair in headers if pair[0].lower() != name.lower()]
            headers.append((name, as_text(value)))
    return HttpCall(
        request.described.method,
        _address(base, request, scope),
        query=_query(request, scope),
        headers=headers,
        body=_body(request, scope),
        service=node.aws,
    )


def _address(base: Template, request: CompiledRequest, scope: TemplateScope) -> str:
    if request.url is not None:
        return _joined(request.url, scope, _own(request.url))
    return _joined(base, scope, _own(base)).rstrip("/") + _joined(request.path, scope, frozenset())


def _own(template: Template) -> frozenset[int]:
    """The parts of an address that are put in as they are.

    They are its beginning, values from the credential, an answer or the table `values`, and everything behind the `?`.
    """
    found = {0}
    query = False
    for place, part in enumerate(template.parts):
        if isinstance(part, str):
            query = query or "?" in part
        elif query or "".join(part.choices[0].path[:1]).startswith(("$", "@")):
            found.add(place)
    return frozenset(found)


def _joined(template: Template, scope: TemplateScope, own: frozenset[int]) -> str:
    """Values cannot leave their segment, except those whose only way is a path (`filePath`). own: places of parts that
    are put in as they are."""
    out = []
    for place, part in enumerate(template.parts):
        if isinstance(part, str):
            out.append(part)
            continue
        value = value_of(Template((part,)), scope)
        if isinstance(value, Missing):
            raise NodeError(f"The parameter {_name(part)} is empty; fill it in.")
        out.append(as_text(value) if place in own else _segment(as_text(value), part))
    return "".join(out)


def _name(reference: TemplateReference) -> str:
    return ".".join(reference.choices[0].path).lstrip("@")


def _segment(text: str, part: TemplateReference) -> str:
    if part.choices[0].path[-1:] == ("filePath",):
        return "/".join(_quoted(step) for step in text.strip("/").split("/") if step not in ("", ".", ".."))
    if text in (".", ".."):
        # Servers climb for %2E%2E too.
        raise NodeError(f"The parameter {_name(part)} is '{text}', which is no name; give another one.")
    return _quoted(text)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _query(request: CompiledRequest, scope: TemplateScope) -> Pairs:
    """A list repeats its name."""
    found: Pairs = []
    values = request.query(scope)
    for name, value in values.items() if isinstance(values, dict) else ():
        found += [(name, as_text(one)) for one in (value if isinstance(value, list) else [value])]
    return found


def _body(request: CompiledRequest, scope: TemplateScope) -> HttpBody | None:
    if request.form is not None and request.body is None:
        return HttpBody(urlencode(form_fields(request.form, scope)).encode(), _FORM)
    if request.body is None:
        return None
    value = request.body(scope)
    given = MISSING if request.media_type is None else value_of(request.media_type, scope)
    media_type = "application/json" if isinstance(given, Missing) else as_text(given)
    return HttpBody(dumps({} if isinstance(value, Missing) else value), media_type)


def form_fields(shape: Shape, scope: TemplateScope) -> Pairs:
    """Objects and lists go as JSON."""
    value = shape(scope)
    return [(name, as_text(one)) for name, one in value.items()] if isinstance(value, dict) else []


def answer_of(reply: HttpReply, errors: Errors, title: str) -> Json:
    """The JSON of a good answer, or its XML as JSON; an empty one is an empty object. Raises `NodeError` with the
    service's own words."""
    value = _content(reply) if reply.body.strip() else {}
    if any(at(value, path.split(".")) in values for path, values in errors.fine.items()):
        return value
    good = 200 <= reply.status < 300 and not (errors.bad and at(value, errors.bad.split(".")))
    if good and (not errors.ok or at(value, errors.ok.split("."))):
        return value
    raise NodeError(_told(reply, value, errors, title))


def is_xml(reply: HttpReply) -> bool:
    """By the type that it names."""
    media = reply.header("content-type").partition(";")[0].strip().lower()
    return media in ("text/xml", "application/xml")


def _content(reply: HttpReply) -> Json:
    try:
        if is_xml(reply):
            return cast("Callable[[bytes], dict[str, Json]]", load(_XML))(reply.body)
        return loads(reply.body, max_depth=200)
    except (InvalidInput, NodeError):
        return reply.body.decode("utf-8", "replace")


def listed(value: Json, reply: HttpReply) -> list[Json]:
    """The rows of an answer. In XML, one row is no list."""
    if isinstance(value, dict) and is_xml(reply):
        return [value]
    return value if isinstance(value, list) else []


def raise_for_status(reply: HttpReply, errors: Errors, title: str) -> None:
    """For answers that are files. Raises `NodeError`."""
    if not 200 <= reply.status < 300:
        answer_of(reply, errors, title)


def _told(reply: HttpReply, value: Json, errors: Errors, title: str) -> str:
    found = next((one for path in errors.message if (one := at(value, path.split(".")))), None)
    text = as_text(found) if found else (value if isinstance(value, str) else "")
    for secret in reply.secrets:
        text = text.replace(secret, "***") if secret else text
    text = " ".join(text.split())[:_EXCERPT]
    return f"{title} answered with status {reply.status}{f': {text}' if text else ''}."


def next_link(call: HttpCall, reply: HttpReply) -> str | None:
    """The target of `Link: <...>; rel="next"` (RFC 8288) when it is at the origin that was asked.

    A redirect may have left that origin: the credential goes there again.
    """
    for part in reply.header("link").split(","):
        match = re.match(r'\s*<([^>]+)>(?=[^,]*;\s*rel="?next"?)', part)
        if match and same_origin(match[1], call.url):
            return match[1]
    return None


def same_origin(one: str, other: str) -> bool:
    """A text that is no address has none."""
    try:
        first, second = urlsplit(one), urlsplit(other)
    except ValueError:
        return False
    return (first.scheme.lower(), first.netloc.lower()) == (second.scheme.lower(), second.netloc.lower())
