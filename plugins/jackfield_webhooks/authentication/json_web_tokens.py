"""JWTs as proof of a call."""

from __future__ import annotations

import jwt

from jackfield.api.webhooks import VerifiedCall, WebhookCall
from jackfield_webhooks.authentication.verifiers import BEARER_CHALLENGE, refusal

NO_EXP = "The token has no exp; sign it with an expiry, or set authConfig.requireExp of the webhook to false."
_ERRORS: tuple[type[Exception], ...] = (jwt.PyJWTError, ValueError, TypeError)


class JwtVerifier:
    """A signed JWT as Bearer token. One algorithm is pinned. `exp` and `nbf` count when they are there.
    require_exp: refuse a token that never ends, since whoever has seen it once could call forever."""

    needs_body = False
    headers = frozenset({"authorization"})
    challenge = BEARER_CHALLENGE

    def __init__(self, key: str, algorithm: str, require_exp: bool = True) -> None:
        """Raises ValueError for what is no key of the algorithm."""
        self._options: jwt.types.Options = {"require": ["exp"] if require_exp else []}
        self._jwt = jwt.PyJWT({"enforce_minimum_key_length": False, "verify_aud": False, "verify_iss": False})
        self._algorithms = [algorithm]
        try:
            self._key = jwt.get_algorithm_by_name(algorithm).prepare_key(key)
        except _ERRORS:
            raise ValueError(f"not a key for {algorithm}") from None

    def verify(self, call: WebhookCall) -> VerifiedCall:
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            raise refusal(self.challenge)
        try:
            claims = self._jwt.decode(token.strip(), self._key, algorithms=self._algorithms, options=self._options)
            return VerifiedCall(claims=claims)
        except jwt.MissingRequiredClaimError:
            # Looked for after the signature, so that only its owner learns of it.
            raise refusal(self.challenge, NO_EXP) from None
        except _ERRORS:
            raise refusal(self.challenge) from None
