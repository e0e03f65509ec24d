"""A time limit for foreign code that holds the main thread.

A blocking call in the event loop's thread cannot be cancelled. In another thread, it would take the loop away from code
that may use it. But a signal's handler runs in the main thread between two steps of Python, and breaks off sleeps and
blocking I/O when it raises. Only code in C that neither returns nor looks at signals is out of its reach.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Awaitable, Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from jackfield.api.containment import Escaped, passes

T = TypeVar("T")
AGAIN = 1.0
"""Seconds after which code that swallowed its interruption is interrupted again."""


class Overdue(BaseException):
    """Foreign code held the thread for too long. No `Exception`, so that `except Exception` does not swallow it."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises `Overdue` in what runs below, once it has had its time. Elsewhere than in the main thread, and within
    another alarm, there is none."""
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    armed = [True]

    def ring(number: int, frame: FrameType | None) -> None:
        if armed:
            raise Overdue(f"it held the daemon's thread for more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        try:
            armed.clear()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class _Stepped(Awaitable[T]):
    """An awaitable, each step of which has an alarm."""

    def __init__(self, work: Awaitable[T], seconds: float) -> None:
        self._work = work
        self._seconds = seconds

    def __await__(self) -> Generator[Any, Any, T]:
        with alarm(self._seconds):
            steps = self._work.__await__()
        thrown: BaseException | None = None
        sent = None
        while True:
            try:
                with alarm(self._seconds):
                    waits = steps.send(sent) if thrown is None else steps.throw(thrown)
            except StopIteration as stop:
                result: T = stop.value
                return result
            thrown, sent = None, None
            try:
                sent = yield waits
            except BaseException as exc:
                thrown = exc


async def bounded(seconds: float, work: Awaitable[T]) -> T:
    """The result of foreign work, which has that many seconds, and as many for each step that holds the thread.

    Raises:
        TimeoutError: It has not ended in time.
        Escaped: It raised what is no `Exception`.
    """
    from jackfield.api.limits import within  # here: `--help` loads plugins, and awaits none

    return await within(seconds, _tamed(work, seconds))


async def _tamed(work: Awaitable[T], seconds: float) -> T:
    """In a separate task: there `SystemExit` would end the event loop."""
    try:
        return await _Stepped(work, seconds)
    except Exception:
        raise
    except BaseException as exc:
        if passes(exc):
            raise
        raise Escaped(exc) from exc
