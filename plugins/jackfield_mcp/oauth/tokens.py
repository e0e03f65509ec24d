"""Tokens and what is kept of them."""

from __future__ import annotations

import hashlib
import secrets

from jackfield.api.auth import OAUTH_TOKEN

ACCESS = OAUTH_TOKEN.decode()
REFRESH, CODE, REQUEST = "jf_or_", "jf_oc_", "jf_oq_"


def new_token(prefix: str) -> str:
    """256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """A plain hash does for what is random."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
