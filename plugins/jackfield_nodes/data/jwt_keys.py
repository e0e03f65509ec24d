"""Keys of JSON Web Tokens, what is read of a token, and what is checked of it."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record

ALGORITHMS = (
    *("HS256", "HS384", "HS512", "RS256", "RS384", "RS512"),
    *("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA"),
)


@record
class JwtKey:
    """The key that signs and verifies. `private` and `public`: of a pair, PEM. `secret`: of the HS algorithms."""

    algorithm: str
    secret: str = ""
    private: str = ""
    public: str = ""
    pair: bool = False

    def signing(self) -> str:
        """Raises `NodeError` naming the empty field."""
        return self._of("privateKey", self.private) if self.pair else self._of("secret", self.secret)

    def verifying(self) -> str:
        """Raises `NodeError` naming the empty field."""
        return self._of("publicKey", self.public) if self.pair else self._of("secret", self.secret)

    def _of(self, field: str, value: str) -> str:
        if not value:
            raise NodeError(f"The credential jwtAuth has no {field}; fill it in.")
        # Keys that were copied out of JSON may have their line ends written as \n.
        return value.replace("\\n", "\n").strip() if self.pair else value


def key_of(values: Mapping[str, str], algorithm: str) -> JwtKey:
    """values: of a credential of the kind jwtAuth; algorithm: replaces the credential's."""
    return JwtKey(
        algorithm or values.get("algorithm") or "HS256",
        values.get("secret", ""),
        values.get("privateKey", ""),
        values.get("publicKey", ""),
        values.get("keyType") == "pemKey",
    )


@record
class JwtToken:
    """signature: in base64url."""

    header: dict[str, Json]
    payload: dict[str, Json]
    signature: str


@record
class JwtChecks:
    """now: Unix seconds; tolerance: seconds by which clocks may differ."""

    now: float
    tolerance: float = 0
    expiration: bool = True
    not_before: bool = True
