"""Memos: short records that end by themselves, such as a login that is under way, or who renews a token now.

Daemons that share a store keep them there, so that a browser may meet any of them with each request. A daemon that has
its store for itself keeps them in memory. The daemon seals everything secret in one before (`Secrets.seal`), and a key
that admits somebody is a digest.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from .clock import Clock
from .errors import StoreUnavailable
from .records import record

_LOOK = 0.1
"""Seconds between two looks at a lease that somebody else has."""


@record
class Room:
    """Bounds of a kind. most: of all memos of the kind; part: which ones belong together, such as those of one address;
    most_of_part: of these. Of more, those that end first go."""

    most: int
    part: str = ""
    most_of_part: int | None = None


@record
class Memo:
    """left: in seconds, until it ends."""

    key: str
    data: bytes
    left: float


@runtime_checkable
class Memos(Protocol):
    """As a port; a store that is not exclusive (`OwnershipStore.exclusive`) may have it.

    `kind`: 1 to 100 characters of a to z, digits and hyphens. `key` and `part`: at most 200 printable characters of
    ASCII. `data`: at most 100,000 bytes. Lifetimes are seconds by the store's own clock. Every verb raises
    `StoreUnavailable`.
    """

    async def memo(self, kind: str, key: str) -> bytes | None:
        """None: there is none, or it has ended."""

    async def memos(self, kind: str, part: str) -> Sequence[Memo]:
        """Those of this part, the one that ends first before the others."""

    async def put_memo(self, kind: str, key: str, data: bytes, lifetime: float, room: Room) -> None:
        """Set it, in place of an earlier one."""

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        """Set it if it is still `before`; None: if there is none. data: None ends it. Of many at once one gets True. A
        new one is of no part; bounds are not looked at."""

    async def take_memo(self, kind: str, key: str) -> bytes | None:
        """Use it up: of many at once one gets it."""

    async def end_memos(self, kind: str, part: str) -> None:
        """All of this part."""


@contextlib.asynccontextmanager
async def leased(memos: Memos, kind: str, key: str, lifetime: float, clock: Clock) -> AsyncIterator[None]:
    """Nobody else has this lease meanwhile, at any daemon, unless it takes longer than `lifetime`, in seconds. Waits
    for it as long as that. Raises `StoreUnavailable`, also when the time is up."""
    mine = secrets.token_bytes(16)
    deadline = clock.monotonic() + lifetime + _LOOK
    asked: asyncio.Future[bool] | None = None
    try:
        while True:
            asked = asyncio.ensure_future(memos.change_memo(kind, key, None, mine, lifetime))
            if await asyncio.shield(asked):
                break
            if clock.monotonic() >= deadline:
                raise StoreUnavailable("Another daemon holds this up; try again.")
            await clock.sleep(_LOOK)
        yield
    finally:
        await asyncio.shield(_given_back(asked, partial(memos.change_memo, kind, key, mine, None, lifetime)))


async def _given_back(asked: asyncio.Future[bool] | None, end: Callable[[], Awaitable[bool]]) -> None:
    """A caller that is cancelled while it asks may still get the lease: it ends behind that, or else by itself."""
    if asked is not None:
        await asyncio.wait([asked])
        if not asked.cancelled():
            asked.exception()  # it was told, unless nobody waits for it any more
    with contextlib.suppress(StoreUnavailable):
        await end()
