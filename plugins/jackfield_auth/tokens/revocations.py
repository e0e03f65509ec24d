"""Tokens that were ended before their time: in memory for every request, in the store for the next start and for other
daemons."""

from __future__ import annotations

from jackfield.api.clock import Clock
from jackfield.api.shared_tokens import SharedTokens
from jackfield.api.storage import Store, UserStore

SWEEP_MS = 60_000


class Revocations:
    """Bounded by expiry: a token that has expired is forgotten."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expiries: dict[str, int] = {}
        self._swept = 0
        self._shared: SharedTokens | None = None
        """Where other daemons revoke tokens too."""

    def __len__(self) -> int:
        return len(self._expiries)

    async def load(self, store: Store) -> None:
        """Take over what earlier runs revoked."""
        self._shared = store if not store.exclusive and isinstance(store, SharedTokens) else None
        self._expiries = dict(await store.revoked_tokens(self._clock.now_ms()))

    async def has(self, token_id: str) -> bool:
        """Whether this daemon or another one has revoked it. Raises `StoreUnavailable`."""
        if token_id in self._expiries:
            return True
        return self._shared is not None and await self._shared.is_token_revoked(token_id)

    async def revoke(self, store: UserStore, token_id: str, expires_at: int) -> bool:
        """Durable when it returns. False when the token was revoked already, so that of two callers one wins."""
        first = await store.revoke_token(token_id, expires_at)
        self._sweep()
        self._expiries[token_id] = expires_at
        return first

    def _sweep(self) -> None:
        now = self._clock.now_ms()
        if now - self._swept >= SWEEP_MS:
            self._swept = now
            self._expiries = {token: until for token, until in self._expiries.items() if until > now}
