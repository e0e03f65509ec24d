"""Exceptions of foreign code that are no `Exception`: which of them are meant for us, and which it may not get through.

`SystemExit` and `KeyboardInterrupt` end an event loop from within a task, and with it the daemon. So whoever calls
foreign code catches `BaseException`, and lets through only what `passes` says.
"""

from __future__ import annotations

import signal
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. Foreign code that raises `KeyboardInterrupt` itself does not raise this."""


class Escaped(Exception):
    """Stands for an exception of foreign code that is no `Exception`; `cause` is that one."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(told(cause))
        self.cause = cause


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler of SIGINT."""
    raise Interrupted


def is_ctrl_c(error: BaseException) -> bool:
    """Without our handler nobody can tell."""
    if isinstance(error, Interrupted):
        return True
    return isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def passes(error: BaseException) -> bool:
    """Whether an exception out of a coroutine of foreign code is meant for us.

    It is for Ctrl-C, the cancellation of our task, or the end of a coroutine that nobody awaits any more.
    """
    import asyncio  # here: the command line needs the rest without it

    if not isinstance(error, asyncio.CancelledError | GeneratorExit):
        return is_ctrl_c(error)
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    return task is None or (isinstance(error, asyncio.CancelledError) and task.cancelling() > 0)


def told(error: BaseException) -> str:
    """Its type and what it says, also when it cannot say it."""
    kind = type(error).__name__
    try:
        return f"{kind}: {error}"
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        return f"{kind} (its text raises {type(exc).__name__})"
