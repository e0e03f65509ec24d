"""A virtual key as it is kept: everything but the key itself, of which there is a hash."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from jackfield.api.gateway import PREFIX, CallerPass, digest_of
from jackfield.api.records import record, replace

Period: TypeAlias = Literal["day", "month", "total"]
PERIODS: tuple[Period, ...] = get_args(Period)
Unit: TypeAlias = Literal["usd", "tokens"]
SHOWN = 12
"""Characters of a key that lists show."""


@record
class KeyBudget:
    """Of one period (of local time; `total`: ever) in one unit."""

    period: Period
    unit: Unit
    most: float

    @property
    def name(self) -> str:
        return f"{self.period}.{self.unit}"

    def told(self, amount: float) -> str:
        return f"{amount:,.4g} USD" if self.unit == "usd" else f"{round(amount):,} tokens"


@record
class VirtualKey:
    """models, profiles: see `CallerPass`. requests, tokens: the most in any 60 seconds; parallel: the most in flight;
    None: no limit. Times: Unix ms."""

    id: str
    digest: str
    prefix: str
    label: str
    created_at: int
    owner: str = ""
    models: Sequence[str] = ()
    profiles: Sequence[str] = ()
    requests: int | None = None
    tokens: int | None = None
    parallel: int | None = None
    budgets: Sequence[KeyBudget] = ()
    cache_seconds: float = 0.0
    expires_at: int | None = None
    revoked_at: int | None = None

    @property
    def caller(self) -> CallerPass:
        return CallerPass(self.id, self.models, self.profiles, self.metered, self.cache_seconds)

    @property
    def metered(self) -> bool:
        """Whether requests have to be reserved before they are sent."""
        limits = (self.requests, self.tokens, self.parallel)
        return bool(self.budgets) or any(limit is not None for limit in limits)

    def has_expired(self, now_ms: int) -> bool:
        return self.expires_at is not None and self.expires_at <= now_ms


def secret() -> str:
    """A fresh key."""
    return PREFIX + secrets.token_urlsafe(32)


def with_secret(key: VirtualKey, text: str) -> VirtualKey:
    return replace(key, digest=digest_of(text), prefix=text[:SHOWN])


def packed(key: VirtualKey) -> bytes:
    return msgspec.json.encode(key)


def unpacked(document: bytes) -> VirtualKey:
    """Raises ValueError."""
    return msgspec.json.decode(document, type=VirtualKey)
