"""Limits: of time for what somebody else wrote, and of requests per key, in bounded memory."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import ParamSpec, TypeVar

from .clock import Clock
from .containment import Escaped, passes

T = TypeVar("T")
ParamsT = ParamSpec("ParamsT")
_LOOPBACK = "127.0.0.1"
GRACE = 1.0
"""Seconds in which something that was cancelled may still end in order."""


async def contained(call: Callable[[], Awaitable[T]]) -> T:
    """The result of a call into a stranger's object. It raises an `Exception`, unless the exception is meant for us:
    Ctrl-C and our own cancellation pass. A task that you make for the call needs this inside it. `SystemExit` in a task
    ends the event loop before anybody who awaits the task hears of it.

    Raises:
        Escaped: The callee raised `SystemExit` or another exception that is no `Exception`, or a cancellation that
            nobody asked for.
    """
    try:
        return await call()
    except Exception:
        raise
    except BaseException as exc:
        if passes(exc):
            raise
        raise Escaped(exc) from exc


def guarded(call: Callable[ParamsT, Awaitable[T]]) -> Callable[ParamsT, Awaitable[T]]:
    """A stranger's function, each call of which is `contained`."""

    async def guard(*args: ParamsT.args, **kwargs: ParamsT.kwargs) -> T:
        return await contained(lambda: call(*args, **kwargs))

    return guard


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

    def hit(self, key: str, elsewhere: float = 0) -> float | None:
        """Count a request. None: it passes; else: seconds until one passes again (it was not counted). elsewhere: how
        many others have counted within the window. Then it may pass somewhat earlier."""
        retry = self.blocked(key, elsewhere)
        if retry is None:
            self._times.setdefault(key, deque()).append(self._clock.monotonic())
            if len(self._times) > self._keys:
                self._times.popitem(last=False)
        return retry

    def blocked(self, key: str, elsewhere: float = 0) -> float | None:
        """As `hit`, without counting."""
        times = self._times.get(key)
        if times is None:
            return None if elsewhere < self._requests else self._window
        self._times.move_to_end(key)
        now = self._clock.monotonic()
        while times and now - times[0] >= self._window:
            times.popleft()
        excess = math.floor(len(times) + elsewhere) - self._requests
        if excess < 0:
            return None
        return times[excess] + self._window - now if excess < len(times) else self._window

    def forget(self, key: str) -> None:
        """Start anew for this key."""
        self._times.pop(key, None)
