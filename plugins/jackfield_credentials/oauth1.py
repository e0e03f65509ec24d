"""OAuth 1.0a: signed requests with HMAC, by `oauthlib`. Source: RFC 5849 section 3; SHA-256 and SHA-512 as servers have
added them.

The tokens are pasted in: the dance that gets them at a provider is not built.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from oauthlib.oauth1 import Client

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import HttpCall, Pairs
from jackfield.api.nodes import NodeError
from jackfield_credentials.kinds import OAUTH1_METHODS
from jackfield_credentials.placing import with_header

_FORM = "application/x-www-form-urlencoded"


def oauth1(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """Raises `NodeError`."""
    return signed(call, values, secrets.token_hex(16), int(time.time()))


def signed(call: HttpCall, values: Mapping[str, str], nonce: str, timestamp: int) -> HttpCall:
    """timestamp: Unix seconds. Raises `NodeError` for a field that is missing, for an address that is none, and for
    bytes that are no UTF-8."""
    for name in ("consumerKey", "consumerSecret"):
        if not values.get(name):
            raise NodeError(f"The credential oAuth1Api has no {name}; fill it in.")
    method = values.get("signatureMethod") or OAUTH1_METHODS[0]
    if method not in OAUTH1_METHODS:
        raise NodeError(f"The credential oAuth1Api has the signatureMethod {method}; use {', '.join(OAUTH1_METHODS)}.")
    client = Client(
        values["consumerKey"],
        client_secret=values["consumerSecret"],
        resource_owner_key=values.get("accessToken"),
        resource_owner_secret=values.get("accessTokenSecret"),
        signature_method=method,
        nonce=nonce,
        timestamp=str(timestamp),
    )
    address = _address(call)
    try:
        _, headers, _ = client.sign(address, call.method.strip())  # type: ignore[arg-type]  # any method is signed
    except ValueError:
        raise NodeError("The request cannot be signed: its address or the credential is not valid.") from None
    return with_header(call, "authorization", headers["Authorization"])


def _address(call: HttpCall) -> str:
    """The address to sign. Its query has the body's form too. The place of a parameter makes no difference to the
    signature (section 3.4.1.3), but `oauthlib` refuses a body of GET and types with a charset."""
    try:
        url = HttpAddress.of(call.url.strip())
    except ValueError:
        raise NodeError("The URL is not valid, so that it cannot be signed.") from None
    # As the client writes them, which leaves out what no UTF-8 can say.
    added = urlencode(call.query, errors="replace")
    try:
        given = [*_fields((url.query or "").encode()), *_fields(added.encode()), *_fields(_form(call))]
    except UnicodeDecodeError:
        raise NodeError("The request has bytes that are no UTF-8, so that it cannot be signed.") from None
    path = url.path or "/"
    if path.endswith(";"):  # oauthlib would sign the address without it
        raise NodeError("The URL's path ends with a semicolon, so that it cannot be signed.")
    return f"{url.scheme}://{url.netloc}{path}?{urlencode(given)}"


def _form(call: HttpCall) -> bytes:
    """The body, where it is a form."""
    whole = call.body.whole if call.body is not None else None
    if call.body is None or not whole:
        return b""
    kinds = [value for name, value in call.headers if name.lower() == "content-type"]
    kind = kinds[0] if kinds else call.body.content_type or ""
    return whole if kind.partition(";")[0].strip().lower() == _FORM else b""


def _fields(text: bytes) -> Pairs:
    """Raises `UnicodeDecodeError`."""
    found = parse_qsl(text.decode(), keep_blank_values=True, errors="strict")
    # oauthlib takes the values of such names for escaped once more.
    return [(name, value.replace("%", "%25") if name.startswith("oauth_") else value) for name, value in found]
