"""The signature, for both sides."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

SCHEME = "JACKFIELD-HMAC-SHA256"


def signature(secret: str, method: str, path: bytes, query: bytes, moment: str, nonce: str, body: bytes) -> str:
    """Hexadecimal digits. path and query: as they are sent."""
    # No part but the last ones can hold a line end, so that no two requests give the same text.
    digest = hashlib.sha256(body).hexdigest().encode()
    text = b"\n".join([method.encode(), path, query, moment.encode(), nonce.encode(), digest])
    return hmac.digest(secret.encode(), text, "sha256").hex()


def header(key: str, secret: str, method: str, path: str, query: str = "", body: bytes = b"") -> str:
    """The value of a client's Authorization header."""
    moment, nonce = str(int(time.time())), secrets.token_hex(16)
    signed = signature(secret, method, path.encode(), query.encode(), moment, nonce, body)
    return f"{SCHEME} key={key}, time={moment}, nonce={nonce}, signature={signed}"
