"""Limits: of time for what somebody else wrote, and of requests per key, in bounded memory."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypeVar

from .clock import Clock

T = TypeVar("T")
_LOOPBACK = "127.0.0.1"
GRACE = 1.0
"""Seconds in which something that was cancelled may still end in order."""


async def within(seconds: float, work: Awaitable[T]) -> T:
    """The work's result. Beyond its time it is cancelled. Unlike `asyncio.wait_for` this waits at most `GRACE` for
    that, so what swallows its cancellation goes on alone.

    Raises:
        TimeoutError: The work has not ended in time.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        raise TimeoutError(f"it has not ended in {seconds:g} s")
    return task.result()


def canonical_client(client: str) -> str:
    """One spelling per caller: an IPv4-mapped address is the IPv4 one; of IPv6 the /64, which is one subscriber's. All
    of loopback is one caller, since anybody at this machine may take each of its addresses."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return _LOOPBACK
    return str(ip_network((int(address), 64), strict=False) if isinstance(address, IPv6Address) else address)


class SlidingWindow:
    """At most `requests` per `window` seconds and key, counted exactly: no burst at a window's edge.

    Remembers at most `keys` keys; the one that was quiet longest is forgotten first.
    """

    def __init__(self, clock: Clock, requests: int, window: float, keys: int = 10_000) -> None:
        self._clock = clock
        self._requests = requests
        self._window = window
        self._keys = keys
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def hit(self, key: str) -> float | None:
        """Count a request. None: it passes; else: seconds until one passes again (it was not counted)."""
        retry = self.blocked(key)
        if retry is None:
            self._times.setdefault(key, deque()).append(self._clock.monotonic())
            if len(self._times) > self._keys:
                self._times.popitem(last=False)
        return retry

    def blocked(self, key: str) -> float | None:
        """As `hit`, without counting."""
        times = self._times.get(key)
        if times is None:
            return None
        self._times.move_to_end(key)
        now = self._clock.monotonic()
        while times and now - times[0] >= self._window:
            times.popleft()
        return None if len(times) < self._requests else times[0] + self._window - now

    def forget(self, key: str) -> None:
        """Start anew for this key."""
        self._times.pop(key, None)
