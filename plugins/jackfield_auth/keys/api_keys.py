"""API keys, and the method `api_key`: `X-API-Key: <key>`, or `X-N8N-API-KEY: <key>`."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable

from jackfield.api.auth import API_KEY_HEADERS, AuthRequest, Principal
from jackfield.api.clock import Clock
from jackfield.api.errors import ApiKeyExpired, ApiKeyInvalid
from jackfield.api.ids import new_id
from jackfield.api.storage import ApiKey, UserStore
from jackfield_auth.keys.key_usage import KeyUsage
from jackfield_auth.settings import ApiKeysSettings

FORM = re.compile(rb"jf_sk_[A-Za-z0-9_-]{43}")
SHOWN = 12
"""How many characters of a key its list row shows."""


def digest_of(key: bytes) -> str:
    """The stored form of a key. It has 256 random bits, so that a plain hash does."""
    return hashlib.sha256(key).hexdigest()


def new_key(
    user_id: str, name: str, scopes: tuple[str, ...], created_at: int, expires_at: int | None
) -> tuple[str, ApiKey]:
    """A fresh key, and what is stored of it. Times: Unix ms."""
    text = "jf_sk_" + secrets.token_urlsafe(32)
    row = ApiKey(new_id(), user_id, name, text[:SHOWN], digest_of(text.encode()), scopes, created_at, expires_at)
    return text, row


class ApiKeyMethod:
    """A key acts as its owner, within its scopes and within the role that the owner has now."""

    name = "api_key"

    def __init__(
        self, settings: ApiKeysSettings, clock: Clock, usage: KeyUsage, store: Callable[[], UserStore]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._usage = usage
        self._store = store

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        given = {value for name in API_KEY_HEADERS if (value := request.header(name)) is not None}
        if not given:
            return None
        if len(given) > 1:
            raise ApiKeyInvalid("X-API-Key and X-N8N-API-KEY have different keys; send one of them.")
        (value,) = given
        if not self._settings.enabled:
            raise ApiKeyInvalid("API keys are switched off (security.api_keys.enabled).")
        key = await self._key(value)
        user = await self._store().user(key.user_id)
        if user is None:
            raise ApiKeyInvalid
        if user.disabled:
            raise ApiKeyInvalid("The user of this API key is disabled.")
        if not request.passive:
            self._usage.note(key.id)
        scopes = frozenset(key.scopes) if key.scopes else None
        projects = frozenset(key.projects) if key.projects else None
        return Principal(user.id, user.username, user.role, self.name, scopes, {"key": key.id}, projects)

    async def _key(self, value: bytes) -> ApiKey:
        if not FORM.fullmatch(value):
            raise ApiKeyInvalid
        digest = digest_of(value)
        key = await self._store().api_key(digest)
        if key is None or not hmac.compare_digest(key.digest, digest):
            raise ApiKeyInvalid
        if key.expires_at is not None and key.expires_at <= self._clock.now_ms():
            raise ApiKeyExpired
        return key
