"""ID tokens and logout tokens. Source: OpenID Connect Core 1.0 section 3.1.3.7, Back-Channel Logout 1.0 section 2.6,
RFC 8725 section 3."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from joserfc import jwk, jws, jwt
from joserfc.errors import JoseError

from jackfield.api.clock import Clock
from jackfield.api.jsontext import Json
from jackfield.api.logins import LoginRefused
from jackfield_oidc.metadata import ProviderMetadata
from jackfield_oidc.requests import JsonObject
from jackfield_oidc.settings import OidcProvider

LONGEST = 65536
"""Characters of a token."""
LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
LOGOUT_LIFETIME = 120
"""Seconds for which a logout token counts, whatever its `exp` says: so long its `jti` is remembered."""
_LONGEST_SUBJECT = 255
_UNREADABLE = (JoseError, ValueError, TypeError, KeyError)
"""The errors that joserfc raises for a hostile token or key."""


class IdTokenRefused(LoginRefused):
    """The provider's token is not valid; begin again."""

    code = "OIDC_TOKEN_REFUSED"


class TokenVerifier:
    """leeway: seconds. One sentence for every reason: the caller may be who made the token. The reason goes to the
    log, see `reason`."""

    def __init__(self, provider: OidcProvider, metadata: ProviderMetadata, leeway: int, clock: Clock) -> None:
        self._provider = provider
        self._metadata = metadata
        self._leeway = leeway
        self._clock = clock

    async def id_token(self, token: str, nonce: str) -> JsonObject:
        """The claims. Raises `IdTokenRefused`, `UpstreamFailed`."""
        claims = await self.signed(token)
        self._require_party(claims)
        require("exp" in claims, "it has no exp")
        given = claims.get("nonce")
        require(isinstance(given, str) and hmac.compare_digest(given.encode(), nonce.encode()), "its nonce is another")
        return claims

    async def logout_token(self, token: str) -> tuple[JsonObject, float]:
        """The claims, which have `sub` and `jti`, and for how many seconds the token counts. Raises `IdTokenRefused`,
        `UpstreamFailed`."""
        claims = await self.signed(token)
        events = claims.get("events")
        require(isinstance(events, dict) and isinstance(events.get(LOGOUT), dict), "it is of no logout")
        require("nonce" not in claims, "it has a nonce")  # else an ID token could be one
        require(is_subject(claims.get("sub")), "it has no sub")
        require(isinstance(claims.get("jti"), str), "it has no jti")
        now = self._clock.now_ms() / 1000
        issued = number(claims, "iat", now)
        require(issued > now - LOGOUT_LIFETIME - self._leeway, "its iat is too old")
        return claims, LOGOUT_LIFETIME + 2 * self._leeway

    async def signed(self, token: str) -> JsonObject:
        """The claims of a token that the provider has signed for us, now: signature, issuer, audience and times. Raises
        `IdTokenRefused`, `UpstreamFailed`."""
        require(len(token) <= LONGEST, "it is too long")
        key = await self._key(header_of(token))
        try:
            claims = jwt.decode(token, key, algorithms=self._provider.algorithms).claims
        except _UNREADABLE as exc:
            raise refused(type(exc).__name__) from None
        require(claims.get("iss") == self._provider.issuer, "its iss is another")
        require(self._provider.client_id in audience(claims), "its aud is another")
        self._require_times(claims)
        subject = claims.get("sub")
        require("sub" not in claims or is_subject(subject), "its sub is not usable")
        return claims

    def _require_party(self, claims: JsonObject) -> None:
        require(is_subject(claims.get("sub")), "it has no sub")
        several = len(audience(claims)) > 1
        if several or "azp" in claims:
            require(claims.get("azp") == self._provider.client_id, "its azp is another")

    def _require_times(self, claims: JsonObject) -> None:
        now = self._clock.now_ms() / 1000
        for name in ("exp", "iat", "nbf"):
            value = claims.get(name)
            require(name not in claims or (is_number(value)), f"its {name} is no number")
        require("iat" in claims, "it has no iat")
        require(number(claims, "iat", now) <= now + self._leeway, "its iat is to come")
        require(number(claims, "nbf", now) <= now + self._leeway, "its nbf is to come")
        require(number(claims, "exp", now + 1) > now - self._leeway, "it has expired")

    async def _key(self, header: JsonObject) -> jwk.Key:
        algorithm, kid = header.get("alg"), header.get("kid")
        require(algorithm in self._provider.algorithms, "its alg does not count")
        fitting = fitting_keys(await self._metadata.keys(), kid, str(algorithm))
        if not fitting:
            fitting = fitting_keys(await self._metadata.keys_anew(), kid, str(algorithm))
        require(len(fitting) == 1, "no key of the provider fits it")
        return fitting[0]


def header_of(token: str) -> JsonObject:
    """The header of a token, which nobody has verified. Raises `IdTokenRefused`."""
    try:
        header: JsonObject = jws.extract_compact(token.encode()).headers()
    except _UNREADABLE as exc:
        raise refused(type(exc).__name__) from None
    require("crit" not in header, "it has a critical header")
    return header


def fitting_keys(keys: Sequence[JsonObject], kid: Json, algorithm: str) -> list[jwk.Key]:
    """Those that may have signed: of this name where the token has one, for signatures, of the algorithm's type."""
    types = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
    found = []
    for key in keys:
        if key.get("kty") != types.get(algorithm[:2]) or key.get("use", "sig") != "sig":
            continue
        if key.get("alg", algorithm) != algorithm or (kid is not None and key.get("kid") != kid):
            continue
        try:
            found.append(jwk.import_key(key))  # type: ignore[arg-type]  # checked there: any JSON came
        except _UNREADABLE:
            continue
    return found


def audience(claims: JsonObject) -> list[Json]:
    """`aud` as a list; it may be one text."""
    given = claims.get("aud")
    return given if isinstance(given, list) else [given]


def is_subject(value: Json) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= _LONGEST_SUBJECT and value.isprintable()


def is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(claims: JsonObject, name: str, default: float) -> float:
    value = claims.get(name, default)
    return float(value) if isinstance(value, int | float) else default


def require(holds: bool, reason: str) -> None:
    """Raises `IdTokenRefused`."""
    if not holds:
        raise refused(reason)


def refused(reason: str) -> IdTokenRefused:
    """reason: for the log, as the exception's note; it never goes to the browser."""
    made = IdTokenRefused()
    made.add_note(reason)
    return made
