"""Requests that a credential `aws` goes with: signed with Signature Version 4."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from jackfield.api.aws_endpoints import region_of, signed_for
from jackfield.api.aws_signing import AwsKey, SignedScope, signature
from jackfield.api.http_client import HttpBody, HttpCall, Pairs
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace

_UNRESERVED = "-_.~"
_SECRET = frozenset({"authorization", "x-amz-security-token"})


def signed(call: HttpCall, values: Mapping[str, str]) -> HttpCall:
    """`jackfield.api.credentials.Sign`. A redirect is not followed, as the signature is good for one host; an address
    that is signed already stays as it is. Raises `NodeError`."""
    key = key_of(values)
    if "X-Amz-Signature=" in urlsplit(call.url).query:
        return call
    body = call.body.whole if call.body is not None else b""
    if body is None:
        raise NodeError("A file cannot be signed as it is sent; give the body as text or JSON.")
    url = _address(call)
    try:
        service, region = signed_for(urlsplit(url).hostname or "", region_of(values), call.service)
    except ValueError as exc:
        raise NodeError(str(exc)) from None
    headers = [pair for pair in call.headers if pair[0].lower() not in _SECRET]
    if call.body is not None and call.body.content_type and not _has(headers, "content-type"):
        headers.append(("content-type", call.body.content_type))
    if service == "s3" and not _has(headers, "x-amz-content-sha256"):
        headers.append(("x-amz-content-sha256", hashlib.sha256(body).hexdigest()))
    headers += signature(key, SignedScope(region, service, datetime.now(UTC)), call.method, url, headers, body)
    return replace(
        call,
        url=url,
        query=[],
        headers=headers,
        body=None if call.body is None else HttpBody(body),
        follow="none",
        secrets=[*call.secrets, key.secret, *([key.session] if key.session else [])],
        secret_headers=call.secret_headers | _SECRET,
    )


def key_of(values: Mapping[str, str]) -> AwsKey:
    """Raises `NodeError`."""
    access, secret = (values.get(name, "").strip() for name in ("accessKeyId", "secretAccessKey"))
    if not access or not secret:
        raise NodeError("The credential aws has no accessKeyId or no secretAccessKey; fill them in.")
    temporary = values.get("temporaryCredentials", "").strip().lower() == "true"
    return AwsKey(access, secret, values.get("sessionToken", "").strip() if temporary else "")


def _address(call: HttpCall) -> str:
    """With the query, encoded as it is signed."""
    added = "&".join(f"{quote(name, safe=_UNRESERVED)}={quote(value, safe=_UNRESERVED)}" for name, value in call.query)
    if not added:
        return call.url
    return f"{call.url}{'&' if urlsplit(call.url).query else '?'}{added}"


def _has(headers: Pairs, name: str) -> bool:
    return any(known.lower() == name for known, _ in headers)
