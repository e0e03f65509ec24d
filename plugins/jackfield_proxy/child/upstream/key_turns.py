"""The keys of a provider: each has its turn, and one that the provider refuses rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from jackfield_proxy.child.upstream.failures import UpstreamFailure
    from jackfield_proxy.plan import ProxyLimits, Upstream

MOST = 10_000
"""Keys that rest which are remembered."""
_OF_ACCOUNT = frozenset({"authentication_error", "billing_error", "permission_error"})


class KeyTurns:
    """now: a monotonic clock, seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._turns: dict[str, int] = {}
        self._rests: dict[tuple[str, str], float] = {}

    def next(self, upstream: Upstream, conversation: str = "") -> str:
        """Empty: the provider has none. Of those that do not rest, a conversation has always the same, as providers
        keep their caches by account. When all rest, the one whose rest is over first."""
        keys = upstream.keys
        if len(keys) < 2:
            return keys[0] if keys else ""
        rested = [key for key in keys if not self._rests_for(upstream.id, key)]
        if not rested:
            return min(keys, key=lambda key: self._rests_for(upstream.id, key))
        if conversation:
            return rested[crc32(conversation.encode("utf-8", "replace")) % len(rested)]
        turn = self._turns.get(upstream.id, -1) + 1
        self._turns[upstream.id] = turn
        return rested[turn % len(rested)]

    def refused(self, upstream: Upstream, key: str, refused: UpstreamFailure, limits: ProxyLimits) -> bool:
        """Whether another key may serve where this one was refused; then this one rests."""
        error = refused.error
        if len(upstream.keys) < 2 or refused.answer is None:
            return False
        if error.kind == "rate_limit_error" or error.status == 429:
            asked = limits.breaker_open if error.retry_after is None else error.retry_after
            pause = min(asked, limits.retry_after_limit)
        elif error.kind in _OF_ACCOUNT or refused.of_account:
            pause = limits.key_pause
        else:
            return False
        if len(self._rests) >= MOST:
            self._rests.clear()
        self._rests[upstream.id, key] = self._now() + pause
        return any(other != key and not self._rests_for(upstream.id, other) for other in upstream.keys)

    def _rests_for(self, provider: str, key: str) -> float:
        """Seconds; 0: it may be used."""
        return max(0.0, self._rests.get((provider, key), 0.0) - self._now())
