"""JSON Web Tokens: one pinned algorithm, every claim required, the key chosen by `kid`."""

from __future__ import annotations

import asyncio
import hashlib
import re
from typing import TYPE_CHECKING, Any, cast

from jackfield.api.clock import Clock
from jackfield.api.context import Secrets
from jackfield.api.errors import AccessDenied, TokenExpired, TokenInvalid
from jackfield.api.ids import new_id
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.settings import KEY_BYTES, JwtSettings

if TYPE_CHECKING:
    from jackfield_auth.tokens.codec import TokenCodec

ISSUER = "jackfield"
TEXTS = ("iss", "sub", "username", "role", "jti")
NUMBERS = ("iat", "nbf", "exp", "ver")
MAX_BYTES = 8192
FORM = re.compile(rb"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_CODEC = "jackfield_auth.tokens.codec:TokenCodec"
CLOCK_STEP = 5
"""How far a machine's clock may be set back without refusing fresh tokens, in seconds."""


@record
class TokenClaims:
    """The parts of a verified token that matter. `expires_at`: Unix ms. `version`: the user's when the token was
    made."""

    user_id: str
    token_id: str
    version: int
    expires_at: int


@record
class Issued:
    """A new token and when it expires, Unix ms."""

    token: str
    expires_at: int


def key_id(key: bytes) -> str:
    """The `kid` of a key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(key).hexdigest()[:16]


class WebTokens:
    """Gives out tokens and reads them. `open` first."""

    def __init__(self, settings: JwtSettings, secrets: Secrets, clock: Clock) -> None:
        self.enabled = settings.enabled
        self._settings = settings
        self._secrets = secrets
        self._clock = clock
        self._keys: dict[str, bytes] = {}
        self._made_of: tuple[bytes, ...] = ()
        self._is_open = False
        self._codec: TokenCodec | None = None
        secrets.redact(*filter(None, (settings.secret, *settings.previous_secrets)))

    async def open(self) -> None:
        """Read the signing key."""
        await asyncio.to_thread(self._own)
        self._is_open = True

    async def prepare(self) -> TokenCodec:
        """The library takes a tenth of a second to load: at its first use, in a thread."""
        if self._codec is None:
            codec = cast("type[TokenCodec]", await asyncio.to_thread(load, _CODEC))
            self._codec = codec(self._settings.algorithm, ISSUER, (*TEXTS, *NUMBERS))
        return self._codec

    def require_enabled(self) -> None:
        """Raises `AccessDenied` when tokens are switched off."""
        if not self.enabled:
            raise AccessDenied("Tokens are switched off (security.jwt.enabled); use an API key.")

    async def issue(self, user: User) -> Issued:
        """A token for this user as they are now. Raises `AccessDenied` when tokens are switched off."""
        self.require_enabled()
        codec = await self.prepare()
        now = self._clock.now_ms() // 1000
        expires = now + self._settings.lifetime
        claims: dict[str, str | int] = {
            "iss": ISSUER,
            "sub": user.id,
            "username": user.username,
            "role": user.role,
            "iat": now,
            "nbf": now,
            "exp": expires,
            "jti": new_id(),
            "ver": user.version,
        }
        key = self._own()[0]
        return Issued(codec.encode(claims, key, key_id(key)), expires * 1000)

    async def read(self, token: bytes) -> TokenClaims:
        """Verify. Raises `TokenInvalid` or `TokenExpired`; says nothing about whether the token was revoked."""
        if len(token) > MAX_BYTES or not FORM.fullmatch(token):
            raise TokenInvalid
        payload = self._verified(await self.prepare(), token.decode())
        if not all(isinstance(payload[name], str) for name in TEXTS):
            raise TokenInvalid
        if not all(type(payload[name]) is int for name in NUMBERS):
            raise TokenInvalid
        self._check_times(payload["exp"], max(payload["nbf"], payload["iat"]))
        return TokenClaims(payload["sub"], payload["jti"], payload["ver"], payload["exp"] * 1000)

    # Any: the values are whatever the token's author wrote; `read` checks each.
    def _verified(self, codec: TokenCodec, token: str) -> dict[str, Any]:
        # The unverified header only chooses among our own keys.
        key = self._known().get(codec.named_key(token))
        found = None if key is None else codec.decode(token, key)
        if found is None:
            raise TokenInvalid
        return found

    def _check_times(self, expires: int, valid_from: int) -> None:
        now = self._clock.now_ms() / 1000
        if expires <= now:
            raise TokenExpired
        if valid_from > now + CLOCK_STEP:
            raise TokenInvalid("The token is not valid yet.")

    def _known(self) -> dict[str, bytes]:
        """By key id; others when the master key was replaced."""
        own = self._own()
        if self._is_open and own != self._made_of:
            previous = (secret.encode() for secret in self._settings.previous_secrets)
            self._keys = {key_id(key): key for key in (*previous, *own)}
            self._made_of = own
        return self._keys

    def _own(self) -> tuple[bytes, ...]:
        """The signing key, and behind it those that it was before."""
        if self._settings.secret:
            return (self._settings.secret.encode(),)
        algorithm = self._settings.algorithm
        name = "jwt" if algorithm == "HS256" else f"jwt-{algorithm.lower()}"
        size = KEY_BYTES[algorithm]
        return self._secrets.key(name, size), *self._secrets.earlier_keys(name, size)
