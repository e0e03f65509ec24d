"""Tokens and what is kept of them."""

from __future__ import annotations

import secrets

from jackfield.api.auth import OAUTH_TOKEN

ACCESS = OAUTH_TOKEN.decode()
REFRESH, CODE, REQUEST = "jf_or_", "jf_oc_", "jf_oq_"


def new_token(prefix: str) -> str:
    """256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def renewed(refresh: str) -> str:
    """The next refresh token of a family, of which the earlier one is a member."""
    return f"{family_of(refresh)}.{secrets.token_urlsafe(32)}"


def family_of(refresh: str) -> str:
    """The part that all refresh tokens of a grant share."""
    return refresh.partition(".")[0]
