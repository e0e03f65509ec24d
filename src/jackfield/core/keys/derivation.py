"""Keys by name from one master key, so that daemons with the same master key agree and no other key has to be kept.

The names are fixed: whoever changes one makes everything unreadable that was sealed or signed under it.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import cached_property

_SALT = b"jackfield"
_SEAL = "seal"
_FINGERPRINT = "fingerprint"
_NAMED = "key/"
"""Before the names that plugins choose."""
MASTER_SIZE = 32
"""Bytes."""
FINGERPRINT_SIZE = 8
"""Bytes; twice as many hexadecimal digits."""
_HASH = hashlib.sha256
_HASH_SIZE = 32
_LONGEST = 255 * _HASH_SIZE


def hkdf(secret: bytes, salt: bytes, info: bytes, size: int) -> bytes:
    """HKDF with SHA-256, `size` bytes long. Source: RFC 5869. Raises ValueError outside of 1 to 8,160 bytes."""
    if not 1 <= size <= _LONGEST:
        raise ValueError(f"a derived key has 1 to {_LONGEST} bytes, not {size}")
    pseudorandom = hmac.digest(salt or bytes(_HASH_SIZE), secret, _HASH)
    block, found = b"", b""
    while len(found) < size:
        block = hmac.digest(pseudorandom, block + info + bytes([len(found) // _HASH_SIZE + 1]), _HASH)
        found += block
    return found[:size]


class MasterKey:
    """A master key, and what comes of it."""

    def __init__(self, raw: bytes) -> None:
        """raw: 32 bytes."""
        self.raw = raw

    def __repr__(self) -> str:
        return f"MasterKey({self.fingerprint})"

    def named(self, name: str, size: int) -> bytes:
        """The key of this name."""
        return self._derived(_NAMED + name, size)

    @cached_property
    def sealing(self) -> bytes:
        """For AES-256-GCM."""
        return self._derived(_SEAL, 32)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that tell keys apart and say nothing about them."""
        return self._derived(_FINGERPRINT, FINGERPRINT_SIZE).hex()

    def _derived(self, name: str, size: int) -> bytes:
        return hkdf(self.raw, _SALT, f"jackfield/1/{name}".encode(), size)
