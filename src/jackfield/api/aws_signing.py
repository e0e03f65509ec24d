"""Signatures of requests to AWS.

Source: AWS General Reference, 'Signature Version 4 signing process'.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote, unquote, urlsplit

from .records import record

ALGORITHM = "AWS4-HMAC-SHA256"
_SIGNED = frozenset({"content-type", "host"})
"""Headers that are signed beside AWS' own: those that nothing on the way changes."""
_UNRESERVED = "-_.~"


@record
class AwsKey:
    """session: the token of temporary credentials, empty: the key has none."""

    access: str
    secret: str
    session: str = ""

    @classmethod
    def of(cls, text: str) -> AwsKey:
        """Of `ACCESS:SECRET` or `ACCESS:SECRET:SESSION`. Raises ValueError."""
        parts = text.split(":", 2)
        if len(parts) < 2 or not all(parts):
            raise ValueError("a key for AWS is ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN if it is temporary")
        return cls(*parts)


@record
class SignedScope:
    """Where and when a signature counts."""

    region: str
    service: str
    now: datetime

    @property
    def time(self) -> str:
        return self.now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")

    @property
    def text(self) -> str:
        return f"{self.time[:8]}/{self.region}/{self.service}/aws4_request"


def signature(
    key: AwsKey, scope: SignedScope, method: str, url: str, headers: Iterable[tuple[str, str]], body: bytes
) -> list[tuple[str, str]]:
    """The headers that are added to the request. url: encoded, as it is sent."""
    own = [("X-Amz-Date", scope.time), *([("X-Amz-Security-Token", key.session)] if key.session else [])]
    parts = urlsplit(url)
    named = {name.lower(): " ".join(value.split()) for name, value in (*headers, *own, ("host", _host(url)))}
    signed = {name: value for name, value in sorted(named.items()) if name in _SIGNED or name.startswith("x-amz-")}
    names = ";".join(signed)
    canonical = "\n".join([
        method,
        _path(parts.path or "/", scope.service),
        _query(parts.query),
        *(f"{name}:{value}" for name, value in signed.items()),
        "",
        names,
        hashlib.sha256(body).hexdigest(),
    ])  # fmt: skip
    told = "\n".join([ALGORITHM, scope.time, scope.text, hashlib.sha256(canonical.encode()).hexdigest()])
    found = hmac.new(_signing_key(key, scope), told.encode(), hashlib.sha256).hexdigest()
    credential = f"{ALGORITHM} Credential={key.access}/{scope.text}, SignedHeaders={names}, Signature={found}"
    return [*own, ("Authorization", credential)]


def _signing_key(key: AwsKey, scope: SignedScope) -> bytes:
    made = f"AWS4{key.secret}".encode()
    for part in scope.text.split("/"):
        made = hmac.new(made, part.encode(), hashlib.sha256).digest()
    return made


def _host(url: str) -> str:
    """As HTTP clients send it: without the port that the scheme has anyway."""
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, usual) else f"{host}:{parts.port}"


def _path(path: str, service: str) -> str:
    """S3 alone signs the path as it is sent; for others it is encoded once more."""
    return path if service == "s3" else quote(path, safe="/" + _UNRESERVED)


def _query(text: str) -> str:
    pairs = (pair.partition("=") for pair in text.split("&") if pair)
    encoded = sorted((_encoded(name), _encoded(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _encoded(text: str) -> str:
    return quote(unquote(text), safe=_UNRESERVED)
