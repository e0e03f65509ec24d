"""The use of agents: tokens, and their cost."""

from __future__ import annotations

from collections.abc import Sequence

from .records import record


@record
class Tokens:
    """Counts. input: without cached ones; cache_creation: all cache writes, of which `cache_creation_1h` were for an
    hour; output includes reasoning."""

    input: int = 0
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    cache_creation_1h: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_creation + self.cache_read

    def plus(self, more: Tokens) -> Tokens:
        return Tokens(
            self.input + more.input,
            self.output + more.output,
            self.cache_creation + more.cache_creation,
            self.cache_read + more.cache_read,
            self.cache_creation_1h + more.cache_creation_1h,
        )


@record
class Cost:
    """US dollars. other: what a log gives as one sum, without saying for what."""

    input: float = 0.0
    output: float = 0.0
    cache_creation: float = 0.0
    cache_read: float = 0.0
    other: float = 0.0

    @property
    def total(self) -> float:
        return self.input + self.output + self.cache_creation + self.cache_read + self.other

    def plus(self, more: Cost) -> Cost:
        return Cost(
            self.input + more.input,
            self.output + more.output,
            self.cache_creation + more.cache_creation,
            self.cache_read + more.cache_read,
            self.other + more.other,
        )


@record
class RunUsage:
    """The use of one run of a profile.

    `unpriced`: models without a known price. They are not in `cost`. `prices_as_of`: the day of the price list,
    YYYY-MM-DD.
    """

    tokens: Tokens
    cost: Cost
    models: Sequence[str] = ()
    unpriced: Sequence[str] = ()
    prices_as_of: str | None = None
