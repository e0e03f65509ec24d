"""Tokens that were ended before their time: in memory for every request, in the store for the next start."""

from __future__ import annotations

from jackfield.api.clock import Clock
from jackfield.api.storage import UserStore

SWEEP_MS = 60_000


class Revocations:
    """Bounded by expiry: a token that has expired is forgotten."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expiries: dict[str, int] = {}
        self._swept = 0

    def __len__(self) -> int:
        return len(self._expiries)

    async def load(self, store: UserStore) -> None:
        """Take over what earlier runs revoked."""
        self._expiries = dict(await store.revoked_tokens(self._clock.now_ms()))

    def __contains__(self, token_id: str) -> bool:
        return token_id in self._expiries

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
