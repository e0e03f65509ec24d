"""Digests for scripts."""

from __future__ import annotations

import hashlib
import hmac

LONGEST_KEY = 1 << 20
"""Bytes that a key may be derived to."""


def hash_bytes(algorithm: str, key: str | None, data: str) -> str:
    """`=` and the hex digest of hex data; else what is wrong. key: hex; makes it an HMAC."""
    name = algorithm.lower().replace("-", "") if algorithm[:4].lower() == "sha-" else algorithm.lower()
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        return f"Unknown digest: {algorithm[:40]}"
    plain = bytes.fromhex(data)
    if key is None:
        return "=" + hashlib.new(name, plain, usedforsecurity=False).hexdigest()
    return "=" + hmac.new(bytes.fromhex(key), plain, name).hexdigest()


def derive_key(algorithm: str, password: str, salt: str, rounds: int, size: int) -> str:
    """PBKDF2 as hex. password, salt: hex; size: bytes. Raises ValueError for an unknown digest, and for no rounds."""
    if not 0 <= size <= LONGEST_KEY:
        raise ValueError(size)
    if not size:
        return ""
    name = algorithm.lower().replace("-", "")
    return hashlib.pbkdf2_hmac(name, bytes.fromhex(password), bytes.fromhex(salt), int(rounds), int(size)).hex()
