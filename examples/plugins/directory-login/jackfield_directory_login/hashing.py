"""Hashes of passwords: `{SCRYPT}salt$hash`, both in base64."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import sys

_MARK = "{SCRYPT}"


def hashed(password: str, salt: bytes | None = None) -> str:
    """The hash of a password, with a salt of its own."""
    salt = os.urandom(16) if salt is None else salt
    return f"{_MARK}{base64.b64encode(salt).decode()}${base64.b64encode(_scrypt(password, salt)).decode()}"


def fits(password: str, stored: str) -> bool:
    """Whether this is the password. A damaged hash fits none."""
    salt, _, digest = stored.removeprefix(_MARK).partition("$")
    try:
        known = base64.b64decode(digest, validate=True)
        made = _scrypt(password, base64.b64decode(salt, validate=True))
    except ValueError:
        return False
    return stored.startswith(_MARK) and hmac.compare_digest(known, made)


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << 14, r=8, p=1)


if __name__ == "__main__":
    sys.stdout.write(hashed(sys.stdin.readline().rstrip("\r\n")) + "\n")
