"""How a webhook answers, as its parameters say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jackfield.api.jsontext import Json, dumps
from jackfield.api.records import record
from jackfield_webhooks.parameters import Findings, HookParameters, literal, text

HeaderPairs = tuple[tuple[str, str], ...]

_SNIFF = ("x-content-type-options", "nosniff")
_ALLOWED = "downloads forms modals popups scripts top-navigation-by-user-activation"
_SANDBOX = ("content-security-policy", " ".join(["sandbox", *(f"allow-{what}" for what in _ALLOWED.split())]))
"""A page from a workflow has its own origin, so that its scripts have no part in the daemon's."""
_PAGE_MARKS = ("html", "xml", "svg", "multipart")
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_OURS = frozenset(
    {
        *("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"),
        *("proxy-authenticate", "proxy-connection"),
        *("content-length", "date", "server", "x-request-id"),
    }
)
"""Headers that belong to the connection or to the daemon."""


@record
class AnswerPlan:
    """mode, data, code: see the specification. text: a fixed body of onReceived; empty: answer without a body."""

    mode: str
    data: str
    code: int = 200
    headers: HeaderPairs = ()
    text: str | None = None
    empty: bool = False
    property_name: str = ""
    """Path into the first item's json."""
    content_type: str = ""
    binary_property: str = "data"


def plan(parameters: HookParameters, findings: Findings) -> AnswerPlan:
    options = parameters.options
    body = options.get("responseData")
    return AnswerPlan(
        mode=parameters.mode,
        data=parameters.data,
        code=parameters.code,
        headers=_headers(options.get("responseHeaders"), findings),
        text=None if body in (None, "") else _body_text(body, findings),
        empty=options.get("noResponseBody") is True,
        property_name=text(options, "responsePropertyName", findings, "options."),
        content_type=_CONTROL.sub(" ", text(options, "responseContentType", findings, "options.")),
        binary_property=parameters.property_name,
    )


def clean(headers: Iterable[tuple[str, str]]) -> HeaderPairs:
    """The headers of a workflow that may be sent: valid names, no line breaks, none that is the server's."""
    return tuple(
        (name.lower(), _CONTROL.sub(" ", value).strip())
        for name, value in headers
        if _NAME.fullmatch(name) and name.lower() not in _OURS
    )


def safe(headers: HeaderPairs, has_body: bool) -> HeaderPairs:
    """With what keeps a browser from running the answer as a page of the daemon."""
    kinds = [value.lower() for name, value in headers if name == "content-type"]
    if not has_body and not kinds:
        return headers
    if not kinds or any(mark in kind for kind in kinds for mark in _PAGE_MARKS):
        return (*headers, _SNIFF, _SANDBOX)
    return (*headers, _SNIFF)


def _body_text(body: Json, findings: Findings) -> str:
    found = literal(body, "options.responseData", findings)
    return found if isinstance(found, str) else dumps(found).decode()


def _headers(written: Json, findings: Findings) -> HeaderPairs:
    entries = written.get("entries") if isinstance(written, dict) else written
    if entries is None:
        return ()
    found: list[tuple[str, str]] = []
    for index, entry in enumerate(entries if isinstance(entries, list) else [None]):
        where = f"options.responseHeaders.entries[{index}]"
        if not isinstance(entry, dict):
            findings[where] = "A response header needs a name and a value."
            continue
        name = text(entry, "name", findings, where + ".")
        value = literal(entry.get("value", ""), where + ".value", findings)
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            findings[where + ".name"] = "This is no header that an answer may set."
        else:
            found.append((name, value if isinstance(value, str) else str(value)))
    return clean(found)
