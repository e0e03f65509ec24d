"""OAuth 1.0a: signed requests with HMAC. Source: RFC 5849 section 3; SHA-256 and SHA-512 as servers have added them.

The tokens are pasted in: the dance that gets them at a provider is not built.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlencode

from jackfield.api.http_client import HttpCall, Pairs
from jackfield.api.nodes import NodeError
from jackfield_credentials.placing import with_header

METHODS: Mapping[str, str] = {"HMAC-SHA1": "sha1", "HMAC-SHA256": "sha256", "HMAC-SHA512": "sha512"}
_FORM = "application/x-www-form-urlencoded"
_BYTES = "surrogateescape"
"""Bytes that are no UTF-8 are signed as they are."""


def oauth1(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """Raises `NodeError`."""
    return signed(call, values, secrets.token_hex(16), int(time.time()))


def signed(call: HttpCall, values: Mapping[str, str], nonce: str, timestamp: int) -> HttpCall:
    """timestamp: Unix seconds. Raises `NodeError` for a field that is missing or an address that is none."""
    for name in ("consumerKey", "consumerSecret"):
        if not values.get(name):
            raise NodeError(f"The credential oAuth1Api has no {name}; fill it in.")
    method = values.get("signatureMethod") or "HMAC-SHA1"
    own = [
        ("oauth_consumer_key", values["consumerKey"]),
        ("oauth_nonce", nonce),
        ("oauth_signature_method", method),
        ("oauth_timestamp", str(timestamp)),
        ("oauth_version", "1.0"),
    ]
    if token := values.get("accessToken"):
        own.append(("oauth_token", token))
    key = f"{_quoted(values['consumerSecret'])}&{_quoted(values.get('accessTokenSecret', ''))}"
    signature = hmac.digest(key.encode(), base_string(call, own).encode(), _hash(method))
    own.append(("oauth_signature", base64.b64encode(signature).decode()))
    return with_header(call, "authorization", "OAuth " + ", ".join(f'{name}="{_quoted(text)}"' for name, text in own))


def base_string(call: HttpCall, own: Pairs) -> str:
    """What is signed (section 3.4.1): method, address, and the parameters of query, form and header."""
    import httpx

    try:
        url = httpx.URL(call.url.strip())
    except (httpx.InvalidURL, UnicodeError):
        raise NodeError("The URL is not valid, so that it cannot be signed.") from None
    # httpx leaves out the port that the scheme has anyway, as section 3.4.1.2 wants it.
    address = f"{url.scheme}://{url.netloc.decode('ascii')}{url.raw_path.decode('ascii').partition('?')[0]}"
    # As the client writes them, which leaves out what no UTF-8 can say.
    added = urlencode(call.query, errors="replace")
    given = [*_fields(url.query.decode("ascii")), *_fields(added), *_form(call), *own]
    parameters = sorted((_quoted(name), _quoted(text)) for name, text in given)
    joined = "&".join(f"{name}={text}" for name, text in parameters)
    return "&".join(_quoted(part) for part in (call.method.strip().upper(), address, joined))


def _form(call: HttpCall) -> Pairs:
    """The fields of a body that is a form."""
    whole = call.body.whole if call.body is not None else None
    if call.body is None or not whole:
        return []
    kinds = [value for name, value in call.headers if name.lower() == "content-type"]
    kind = kinds[0] if kinds else call.body.content_type or ""
    if kind.partition(";")[0].strip().lower() != _FORM:
        return []
    return _fields(whole.decode("utf-8", _BYTES))


def _fields(text: str) -> Pairs:
    return parse_qsl(text, keep_blank_values=True, errors=_BYTES)


def _hash(method: str) -> str:
    if method not in METHODS:
        raise NodeError(f"The credential oAuth1Api has the signatureMethod {method}; use {', '.join(METHODS)}.")
    return METHODS[method]


def _quoted(text: str) -> str:
    """Section 3.6."""
    return quote(text, safe="-._~", errors=_BYTES)
