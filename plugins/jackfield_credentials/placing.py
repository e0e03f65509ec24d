"""Values in headers and query."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import quote_plus

from jackfield.api.credentials import Placement, filled
from jackfield.api.http_client import HttpCall
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace


def with_header(call: HttpCall, name: str, value: str) -> HttpCall:
    """The credential's header replaces the author's of the same name."""
    key = name.strip().lower()
    others = [pair for pair in call.headers if pair[0].lower() != key]
    return replace(
        call,
        headers=[*others, (name.strip(), value)],
        secrets=[*call.secrets, value],
        secret_headers=call.secret_headers | {key},
    )


def with_query(call: HttpCall, name: str, value: str) -> HttpCall:
    """The same for a query parameter."""
    others = [pair for pair in call.query if pair[0] != name]
    return replace(call, query=[*others, (name, value)], secrets=[*call.secrets, value, quote_plus(value)])


def with_basic(call: HttpCall, user: str, password: str) -> HttpCall:
    """RFC 7617, in UTF-8."""
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    made = with_header(call, "authorization", f"Basic {encoded}")
    return replace(made, secrets=[*made.secrets, encoded, password])


def text(template: str, kind: str, values: Mapping[str, str]) -> str:
    """The filled template. Raises `NodeError` naming the field that is missing."""
    try:
        return filled(template, values)
    except KeyError as exc:
        raise NodeError(f"The credential {kind} has no {exc.args[0]}; fill it in.") from None


def optional(template: str, values: Mapping[str, str]) -> str:
    """The filled template; empty when one of its fields is."""
    try:
        return filled(template, values)
    except KeyError:
        return ""


def placed(call: HttpCall, scheme: Placement, kind: str, values: Mapping[str, str]) -> HttpCall:
    """The call with the values. Raises `NodeError`."""
    for name, template in scheme.headers.items():
        call = with_header(call, text(name, kind, values), text(template, kind, values))
    for name, template in scheme.query.items():
        call = with_query(call, text(name, kind, values), text(template, kind, values))
    if scheme.basic:
        call = with_basic(call, text(scheme.basic[0], kind, values), optional(scheme.basic[1], values))
    return call
