"""Random texts that prove something: the form in which they are kept, and the challenge of PKCE."""

from __future__ import annotations

import base64
import hashlib


def kept_digest(text: str) -> str:
    """SHA-256 in hex of a text with 128 random bits or more. Nobody guesses such a text, so that a plain hash does."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def s256_challenge(verifier: str) -> str:
    """The `code_challenge` of a `code_verifier` (RFC 7636 section 4.2, method S256): 43 characters."""
    digest = hashlib.sha256(verifier.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
