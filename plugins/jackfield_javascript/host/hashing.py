"""Digests for scripts."""

from __future__ import annotations

import hashlib
import hmac


def hash_bytes(algorithm: str, key: str | None, data: str) -> str:
    """`=` and the hex digest of hex data; else what is wrong. key: hex; makes it an HMAC."""
    name = algorithm.lower().replace("-", "") if algorithm[:4].lower() == "sha-" else algorithm.lower()
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        return f"Unknown digest: {algorithm[:40]}"
    plain = bytes.fromhex(data)
    if key is None:
        return "=" + hashlib.new(name, plain, usedforsecurity=False).hexdigest()
    return "=" + hmac.new(bytes.fromhex(key), plain, name).hexdigest()
