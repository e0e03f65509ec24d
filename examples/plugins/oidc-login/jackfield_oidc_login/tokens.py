"""ID tokens. Source: OpenID Connect Core 1.0 section 3.1.3.7, RFC 8725 section 3."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import Any

import jwt

from jackfield.api.logins import LoginRefused

ALGORITHMS = ("RS256", "ES256")
"""Those of public keys alone: with a symmetric one a public key would sign."""
LEEWAY = 30
"""Seconds by which clocks may differ."""
_NEEDED = ("iss", "sub", "aud", "exp", "iat")
Claims = dict[str, Any]  # what the provider wrote; each use checks what it takes


def header_of(token: str) -> Claims:
    """What nobody has verified. Raises `LoginRefused` for what is no token of these algorithms."""
    try:
        found: Claims = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        raise refused() from None
    if found.get("alg") not in ALGORITHMS:
        raise refused()
    return found


def key_of(token: str, keys: Sequence[Claims]) -> Claims | None:
    """The key that the token names; without a name the only one. None: there is no such key."""
    wanted = header_of(token).get("kid")
    fitting = [key for key in keys if wanted is None or key.get("kid") == wanted]
    return fitting[0] if len(fitting) == 1 else None


def verified(token: str, key: Claims, issuer: str, client_id: str, nonce: str) -> Claims:
    """The claims. Raises `LoginRefused`."""
    try:
        claims: Claims = jwt.decode(
            token,
            jwt.PyJWK.from_dict(key, algorithm=header_of(token)["alg"]).key,
            algorithms=list(ALGORITHMS),
            issuer=issuer,
            audience=client_id,
            leeway=LEEWAY,
            options={"require": list(_NEEDED)},
        )
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        raise refused() from None
    audience = claims["aud"]
    several = isinstance(audience, list) and len(audience) > 1
    if (several or "azp" in claims) and claims.get("azp") != client_id:
        raise refused()
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise refused()
    return claims


def refused() -> LoginRefused:
    """One sentence for every reason: the caller may be who made the token."""
    return LoginRefused("The provider's ID token is not valid; begin again.")
