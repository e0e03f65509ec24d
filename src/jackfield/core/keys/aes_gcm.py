"""AES-256-GCM (NIST SP 800-38D) over one text: a random nonce of 96 bits, then the ciphertext with its tag.

The library is loaded with the first text: a start that seals and opens none does not wait for it.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, cast

from jackfield.api.object_references import load

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE = 12
"""Bytes."""


def sealed(key: bytes, plain: bytes, associated: bytes | None) -> bytes:
    """key: 32 bytes; associated: authenticated with the text, and not part of what is returned."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + _cipher(key).encrypt(nonce, plain, associated)


def opened(key: bytes, data: bytes, associated: bytes | None) -> bytes | None:
    """The inverse. None: it was sealed with another key or associated data, was changed, or is too short."""
    try:
        return _cipher(key).decrypt(data[:NONCE], data[NONCE:], associated)
    except cast("type[Exception]", load("cryptography.exceptions:InvalidTag")):
        return None
    except ValueError:  # too short
        return None


def _cipher(key: bytes) -> AESGCM:
    return cast("type[AESGCM]", load("cryptography.hazmat.primitives.ciphers.aead:AESGCM"))(key)
