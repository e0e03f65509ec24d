"""Whether an index is signed. The package for it is loaded when a public key is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from jackfield.api.object_references import load

SIGNATURE_FILE_LIMIT = 1024
"""Bytes of a signature's file."""


def signed(index: bytes, signature: bytes, public_key: str) -> bool:
    """Whether the signature, base64 or hex, is the key's for this index."""
    is_signature = cast("Callable[..., bool]", load("jackfield_registry.synced.signing:is_signature"))
    return is_signature(index, signature, public_key)
