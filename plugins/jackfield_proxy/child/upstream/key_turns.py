"""The keys of a provider: each has its turn, and one that the provider refuses rests."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING
from zlib import crc32

from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield_proxy.child.upstream.failures import UpstreamFailure
    from jackfield_proxy.plan import ProxyLimits, Upstream

MOST = 10_000
"""Keys that rest which are remembered."""
_OF_ACCOUNT = frozenset({"authentication_error", "billing_error", "permission_error"})


@record
class _Rest:
    """until: of the clock. of_account: the key is refused, and not only asked too often."""

    until: float
    of_account: bool


_NO_REST = _Rest(0.0, False)


class KeyTurns:
    """now: a monotonic clock, seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._turns: dict[str, int] = {}
        self._rests: dict[tuple[str, str], _Rest] = {}

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

    def of_account(self, upstream: Upstream, account: str) -> str:
        """The key that has this mark; empty: it is not here any more."""
        return next((key for key in upstream.keys if mark_of(upstream.id, key) == account), "")

    def first(self, upstream: Upstream) -> str:
        """The same for every request, as long as the provider does not refuse it: objects that one account keeps are
        not there for another one. Empty: the provider has none."""
        keys = upstream.keys
        if len(keys) < 2:
            return keys[0] if keys else ""
        now = self._now()
        taken = (key for key in keys if not (rest := self._rest(upstream.id, key)).of_account or rest.until <= now)
        return next(taken, keys[0])

    def refused(self, upstream: Upstream, key: str, refused: UpstreamFailure, limits: ProxyLimits) -> bool:
        """Whether another key may serve where this one was refused; then this one rests."""
        error, of_account = refused.error, False
        if len(upstream.keys) < 2 or refused.answer is None:
            return False
        if error.kind == "rate_limit_error" or error.status == 429:
            asked = limits.breaker_open if error.retry_after is None else error.retry_after
            pause = min(asked, limits.retry_after_limit)
        elif error.kind in _OF_ACCOUNT or refused.of_account:
            pause, of_account = limits.key_pause, True
        else:
            return False
        if len(self._rests) >= MOST:
            self._rests.clear()
        self._rests[upstream.id, key] = _Rest(self._now() + pause, of_account)
        return any(other != key and not self._rests_for(upstream.id, other) for other in upstream.keys)

    def _rests_for(self, provider: str, key: str) -> float:
        """Seconds; 0: it may be used."""
        return max(0.0, self._rest(provider, key).until - self._now())

    def _rest(self, provider: str, key: str) -> _Rest:
        return self._rests.get((provider, key), _NO_REST)


@lru_cache(1024)
def mark_of(provider: str, key: str) -> str:
    """A mark by which a key of a provider is known again without being shown."""
    return blake2b(f"{provider}\0{key}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
