"""Counts that daemons of one store add up, such as calls of an address. Each keeps its own counts and reports them to
the store now and then, many at once. There it learns the sums of all of them.

Time is cut into spans of one window by the store's clock, so that all daemons mean the same span.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from .records import record


@record
class Counted:
    """The counts that all daemons have added for a key in this span and in the one before."""

    now: int
    before: int


@record
class SpanCounts:
    """span: its number; age: seconds since it began; counts: of the keys that were asked for."""

    span: int
    age: float
    counts: Mapping[str, Counted]


@runtime_checkable
class SharedCounts(Protocol):
    """A store that is not exclusive (`OwnershipStore.exclusive`) may have it. It takes no part in the transactions of
    executions, and a crash of the store's server may lose the counts."""

    async def add_counts(self, kind: str, added: Mapping[str, int], window: float, most: int) -> SpanCounts:
        """Add these to the span that is now, and read what all have.

        `kind`: 1 to 100 characters of a to z, digits and hyphens, with one `window` (seconds, above 0) for all its
        keys. A key has at most 100 printable characters of ASCII. `most`: counts of the kind that are kept about, the
        newest. Those of spans that no longer count end. Raises `StoreUnavailable`; then they may be added or not.
        """
